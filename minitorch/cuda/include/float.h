// <float.h> for kernels: NVRTC brings no host headers. CUDA's own has the same names,
// and both may be included.
#pragma once

#if __has_include(<cuda/std/cfloat>)
#include <cuda/std/cfloat>
#else

#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_EPSILON 1.1920928955078125e-07f
#define FLT_MIN 1.17549435082228750797e-38f
#define FLT_MAX 3.40282346638528859812e+38f
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_EPSILON 2.2204460492503130808e-16
#define DBL_MIN 2.2250738585072013831e-308
#define DBL_MAX 1.7976931348623157081e+308

#endif

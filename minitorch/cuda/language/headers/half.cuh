// The 16-bit floating types of a kernel: CUDA's own, with their operators.
// Included only where a kernel uses one, since these headers are long.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace py {

__device__ inline __half hfma(__half a, __half b, __half c) { return __hfma(a, b, c); }

// Cards before compute capability 8.0 have no such instruction; the product of two is
// exact in double, and so is all but the sum of the farthest apart.
__device__ inline __nv_bfloat16 hfma(__nv_bfloat16 a, __nv_bfloat16 b,
                                     __nv_bfloat16 c) {
#if __CUDA_ARCH__ >= 800
  return __hfma(a, b, c);
#else
  const double product = static_cast<double>(__bfloat162float(a)) * __bfloat162float(b);
  return __double2bfloat16(product + __bfloat162float(c));
#endif
}

template <class Half>
__device__ inline Half htanh(Half x) {
  return Half(tanhf(static_cast<float>(x)));
}

}  // namespace py

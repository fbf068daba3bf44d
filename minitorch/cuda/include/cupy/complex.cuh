// The name complex<T> as programs written for CuPy include it.
#pragma once

#include <cuda/std/complex>

using cuda::std::complex;

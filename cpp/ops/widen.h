// In which dtype an op on real numbers computes, and which its result has.
#pragma once

#include "ops/layout.h"

namespace minitorch::ops {

/// The dtype of a result: floats keep theirs, integers give float64.
inline array::Dtype result_dtype(array::Dtype dtype) {
  return is_floating(dtype) ? dtype : array::Dtype::Float64;
}

/// The dtype that loops and kernels compute it in: 16-bit floats in float32, rounded
/// once.
inline array::Dtype computed_in(array::Dtype dtype) {
  return is_half(dtype) ? array::Dtype::Float32 : result_dtype(dtype);
}

/// `a` for such a loop: row-major, of that dtype.
inline array::Array ready(const array::Array& a) {
  return contiguous(cast(a, computed_in(a.dtype())));
}

/// `op` of `a` in float32, rounded to the dtype of `a`, which is float16 or bfloat16.
template <class Op>
array::Array in_float32(const array::Array& a, Op op) {
  return cast(op(cast(a, array::Dtype::Float32)), a.dtype());
}

}  // namespace minitorch::ops

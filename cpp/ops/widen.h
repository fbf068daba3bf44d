// Owns the rule for 16-bit floats: compute in float32, round once. Knows no op.
#pragma once

#include "ops/layout.h"

namespace minitorch::ops {

/// `op` of `a` in float32, rounded to the dtype of `a`, which is float16 or bfloat16.
template <class Op>
array::Array in_float32(const array::Array& a, Op op) {
  return cast(op(cast(a, array::Dtype::Float32)), a.dtype());
}

}  // namespace minitorch::ops

// Owns the list of binary elementwise functions and their host loops.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

/// FloorDiv and Mod round towards minus infinity, as Python does; of integers by zero
/// they give 0. And, Or and Xor work on the bits of integers. The last three are
/// gradients: ReluGrad(x, d) = x > 0 ? d : 0, SigmoidGrad(y, d) = d y (1 - y) and
/// TanhGrad(y, d) = d (1 - y²), y being the function's value.
enum class Binary {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  Maximum,
  Minimum,
  And,
  Or,
  Xor,
  ReluGrad,
  SigmoidGrad,
  TanhGrad
};

/// out = op(a, b) over `shape`, for float, double, int32_t, int64_t and uint8_t. Div
/// and the gradients exist for float and double only, And, Or and Xor for integers.
template <class T>
void binary(Binary op, std::span<const int64_t> shape, Strided<const T> a,
            Strided<const T> b, Strided<T> out);

}  // namespace minitorch::cpu

// Owns the list of binary elementwise functions and their host loops.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

/// Less, Greater and Equal give 1 or 0 in the type of the operands. The last three are
/// gradients: ReluGrad(x, d) = x > 0 ? d : 0, SigmoidGrad(y, d) = d y (1 - y) and
/// TanhGrad(y, d) = d (1 - y²), y being the function's value.
enum class Binary {
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Maximum,
  Minimum,
  Less,
  Greater,
  Equal,
  ReluGrad,
  SigmoidGrad,
  TanhGrad
};

/// out = op(a, b) over `shape`, for float, double, int32_t and int64_t. Div and Pow
/// exist for float and double only.
template <class T>
void binary(Binary op, std::span<const int64_t> shape, Strided<const T> a,
            Strided<const T> b, Strided<T> out);

}  // namespace minitorch::cpu

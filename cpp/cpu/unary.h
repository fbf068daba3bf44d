// Owns the list of unary elementwise functions and their host loops.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

/// Sign, Floor, Ceil and Round leave integers as they are but for their sign; Round
/// takes halves to even. Gelu is x Φ(x), GeluTanh its approximation by tanh, Silu is
/// x sigmoid(x).
enum class Unary {
  Neg,
  Abs,
  Relu,
  Sign,
  Floor,
  Ceil,
  Round,
  Sigmoid,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Tanh,
  Reciprocal,
  Sin,
  Cos,
  Erf,
  Gelu,
  GeluTanh,
  Silu
};

/// out = op(a) over `shape`. Float and double have all of them; int32_t, int64_t and
/// uint8_t those before Sigmoid. `out` may be `a` itself, never a shifted view of it.
template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out);

}  // namespace minitorch::cpu

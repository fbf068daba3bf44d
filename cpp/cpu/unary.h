// Owns the list of unary elementwise functions and their host loops.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

enum class Unary { Neg, Abs, Relu, Sigmoid, Exp, Log, Sqrt, Tanh, Reciprocal };

/// out = op(a) over `shape`. Float and double have all of them; int32_t and int64_t
/// only Neg, Abs and Relu. `out` may be `a` itself, never a shifted view of it.
template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out);

}  // namespace minitorch::cpu

// Owns the binary elementwise ops on tensors, with numbers on either side, and their
// gradients.
#pragma once

#include "autograd/tensor.h"
#include "cpu/binary.h"
#include "ops/binary.h"

namespace minitorch::autograd {

using ops::Number;

/// op(a, b) with broadcasting. FloorDiv and the ops on bits have no gradient.
TensorPtr binary(cpu::Binary op, const TensorPtr& a, const TensorPtr& b);
TensorPtr binary(cpu::Binary op, const TensorPtr& a, Number b);
TensorPtr binary(cpu::Binary op, Number a, const TensorPtr& b);

#define MINITORCH_BINARY_OP(name, op)      \
  template <class A, class B>              \
  TensorPtr name(const A& a, const B& b) { \
    return binary(cpu::Binary::op, a, b);  \
  }
MINITORCH_BINARY_OP(add, Add)
MINITORCH_BINARY_OP(sub, Sub)
MINITORCH_BINARY_OP(mul, Mul)
MINITORCH_BINARY_OP(div, Div)
MINITORCH_BINARY_OP(pow, Pow)
MINITORCH_BINARY_OP(maximum, Maximum)
MINITORCH_BINARY_OP(minimum, Minimum)
#undef MINITORCH_BINARY_OP

}  // namespace minitorch::autograd

// The elementwise ops on tensors, with numbers on either side, and their gradients. The
// ops themselves are rows of cpu/elementwise.inc.
#pragma once

#include <optional>

#include "autograd/tensor.h"
#include "ops/elementwise.h"

namespace minitorch::autograd {

using ops::Number;

// neg(a), relu(a) and so on.
#define MINITORCH_UNARY(Op, function, ...) TensorPtr function(const TensorPtr& a);
#include "cpu/elementwise.inc"

/// op(a, b) with broadcasting. FloorDiv has a gradient of zeros; the ops on bits have
/// none.
TensorPtr binary(cpu::Binary op, const TensorPtr& a, const TensorPtr& b);
TensorPtr binary(cpu::Binary op, const TensorPtr& a, Number b);
TensorPtr binary(cpu::Binary op, Number a, const TensorPtr& b);

// add(a, b), pow(a, b) and so on.
#define MINITORCH_BINARY(Op, function, ...)    \
  template <class A, class B>                  \
  TensorPtr function(const A& a, const B& b) { \
    return binary(cpu::Binary::Op, a, b);      \
  }
#include "cpu/elementwise.inc"

/// a op b as bool, without history.
TensorPtr compare(cpu::Compare op, const TensorPtr& a, const TensorPtr& b);
TensorPtr compare(cpu::Compare op, const TensorPtr& a, Number b);

/// The same as 1 and 0 of the operands' floating dtype, float64 for integers; recorded,
/// with gradients of zero.
TensorPtr order(cpu::Compare op, const TensorPtr& a, const TensorPtr& b);
TensorPtr order(cpu::Compare op, const TensorPtr& a, Number b);

/// The elements limited to low … high, of which one may be missing; NaN stays. The
/// gradient is 1 within the range, 0 on its edges and outside.
TensorPtr clamp(const TensorPtr& a, std::optional<Number> low,
                std::optional<Number> high);

}  // namespace minitorch::autograd

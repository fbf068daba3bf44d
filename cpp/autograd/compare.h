// Owns the comparisons of tensors.
#pragma once

#include "autograd/tensor.h"
#include "cpu/compare.h"
#include "ops/number.h"

namespace minitorch::autograd {

/// a op b as bool, without history.
TensorPtr compare(cpu::Compare op, const TensorPtr& a, const TensorPtr& b);
TensorPtr compare(cpu::Compare op, const TensorPtr& a, ops::Number b);

/// The same as 1 and 0 of the operands' floating dtype, float64 for integers; recorded,
/// with gradients of zero.
TensorPtr order(cpu::Compare op, const TensorPtr& a, const TensorPtr& b);
TensorPtr order(cpu::Compare op, const TensorPtr& a, ops::Number b);

}  // namespace minitorch::autograd

// The matrix product of tensors and its gradient.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// (…, m, k) @ (…, k, n) -> (…, m, n); leading dimensions broadcast.
TensorPtr matmul(const TensorPtr& a, const TensorPtr& b);

}  // namespace minitorch::autograd

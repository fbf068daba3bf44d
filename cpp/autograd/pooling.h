// Pooling of tensors and its gradients.
#pragma once

#include "autograd/tensor.h"
#include "ops/pooling.h"

namespace minitorch::autograd {

/// (…, height, width) -> (…, rows, columns): the largest cell of each window. The
/// gradient goes to the first of equal ones.
TensorPtr max_pool2d(const TensorPtr& x, const ops::PoolOptions& options);

/// (…, height, width) -> (…, rows, columns): the mean of each window.
TensorPtr avg_pool2d(const TensorPtr& x, const ops::PoolOptions& options);

}  // namespace minitorch::autograd

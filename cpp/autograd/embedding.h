// Looking up rows of a table of tensors, with its gradient.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// table (rows, width), integers (…) -> (…, width). Rows looked up as `skipped` get no
/// gradient; -1 for none.
TensorPtr embedding(const TensorPtr& table, const TensorPtr& indices, int64_t skipped);

}  // namespace minitorch::autograd

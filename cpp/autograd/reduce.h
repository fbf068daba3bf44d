// Owns the reductions of tensors and their gradients.
#pragma once

#include <optional>

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// Along `dim`, which stays with size 1 unless `keepdim` is false; over all elements,
/// of shape (1,), or () without `keepdim`, if there is no `dim`.
TensorPtr sum(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim = true);
TensorPtr mean(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim = true);
/// The gradient goes in equal parts to all elements that are the maximum.
TensorPtr max(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim = true);

/// Sums what `expand` repeated: the result has `shape`.
TensorPtr sum_to(const TensorPtr& a, const array::Shape& shape);

}  // namespace minitorch::autograd

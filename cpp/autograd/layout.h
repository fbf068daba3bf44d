// The ops on tensors that move elements without computing, and their gradients.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

TensorPtr permute(const TensorPtr& a, const array::Dims& order);
TensorPtr reshape(const TensorPtr& a, const array::Shape& shape);
TensorPtr expand(const TensorPtr& a, const array::Shape& shape);
/// Sums what `expand` repeated: the result has `shape`.
TensorPtr sum_to(const TensorPtr& a, const array::Shape& shape);
/// Does `reshape` make a view, rather than a copy?
bool can_view(const TensorPtr& a, const array::Shape& shape);

TensorPtr squeeze(const TensorPtr& a, int64_t dim);
TensorPtr unsqueeze(const TensorPtr& a, int64_t dim);
TensorPtr slice(const TensorPtr& a, int64_t dim, int64_t start, int64_t stop,
                int64_t step);
TensorPtr contiguous(const TensorPtr& a);
TensorPtr clone(const TensorPtr& a);  // in memory of its own
TensorPtr cast(const TensorPtr& a, array::Dtype dtype);
TensorPtr to_device(const TensorPtr& a, array::Device device);

/// The same numbers (shared) in another dialect; the gradient comes back in the first.
TensorPtr in_dialect(const TensorPtr& a, Dialect dialect);

}  // namespace minitorch::autograd

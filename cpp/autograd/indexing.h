// The ops on tensors that pick, place and join elements, and their gradients.
#pragma once

#include <vector>

#include "array/index.h"
#include "autograd/tensor.h"
#include "ops/number.h"

namespace minitorch::autograd {

/// The view of `a` that integers, ranges and new dimensions make.
TensorPtr index(const TensorPtr& a, const std::vector<array::IndexPart>& parts);

/// The one element at the positions, of shape (), in memory of its own: a number that
/// keeps its value, and its gradient. Of no backend, whose operations need dimensions.
TensorPtr element(const TensorPtr& a, const std::vector<array::IndexPart>& parts);

/// The elements of `a` in reverse order along `dims`: a view.
TensorPtr flip(const TensorPtr& a, const array::Dims& dims);

/// out[i] = a[i with index[i] as its coordinate along `dim`]. `index` holds integers,
/// counted from the end if negative, and has as many dimensions as `a`.
TensorPtr gather(const TensorPtr& a, int64_t dim, const TensorPtr& index);

/// The same for an index that is checked already (ops/check.h).
TensorPtr gather_checked(const TensorPtr& a, int64_t dim, const array::Array& index);

/// gather() with `index` (n,) the same along all other dimensions: (…, n, …).
TensorPtr index_select(const TensorPtr& a, int64_t dim, const TensorPtr& index);

/// `a` with source[i] at [i with index[i] along `dim`], or added there; `source` is
/// broadcast to the shape of `index`.
TensorPtr scatter(const TensorPtr& a, int64_t dim, const TensorPtr& index,
                  const TensorPtr& source);
TensorPtr scatter_add(const TensorPtr& a, int64_t dim, const TensorPtr& index,
                      const TensorPtr& source);

/// condition ? a : b with broadcasting; what is not 0 is true.
TensorPtr where(const TensorPtr& condition, const TensorPtr& a, const TensorPtr& b);
TensorPtr where(const TensorPtr& condition, const TensorPtr& a, ops::Number b);
TensorPtr where(const TensorPtr& condition, ops::Number a, const TensorPtr& b);

/// The tensors one after another along `dim`, in their promoted dtype.
TensorPtr cat(const std::vector<TensorPtr>& tensors, int64_t dim);

}  // namespace minitorch::autograd

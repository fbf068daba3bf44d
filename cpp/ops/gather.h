// Reading and writing at indices along one dimension, on both devices; knows no
// gradients. An index counts from the end if it is negative.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// `index` as int64: TypeError unless it holds integers, IndexError unless all lie
/// within -size … size - 1 (check.h says when it is raised).
array::Array checked_index(const array::Array& index, int64_t size, const char* where);

/// out[i] = a[i with index[i] as its coordinate along `dim`]. `index` is checked, has
/// as many dimensions as `a` and is no longer than `a` along the others.
array::Array gather(const array::Array& a, int64_t dim, const array::Array& index);

/// A copy of `a` with source[i] at [i with index[i] along `dim`], or added there.
/// `source` has the dtype of `a` and the shape of `index`, which is as for `gather`.
array::Array scatter(const array::Array& a, int64_t dim, const array::Array& index,
                     const array::Array& source);
array::Array scatter_add(const array::Array& a, int64_t dim, const array::Array& index,
                         const array::Array& source);

/// The coordinates of the elements that are not 0, in row-major order: (count, dims) of
/// int64. Waits for the device.
array::Array nonzero(const array::Array& a);

}  // namespace minitorch::ops

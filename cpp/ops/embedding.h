// Looking up rows of a table, and adding gradients back to them, on both devices.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// Row numbers as int64 on their device; TypeError unless they are integers, IndexError
/// for one outside 0 … rows - 1.
array::Array checked_indices(const array::Array& indices, int64_t rows,
                             const char* where);

/// table (rows, width), checked indices (…) -> (…, width).
array::Array embedding(const array::Array& table, const array::Array& indices);

/// The gradient of a table of `rows`; rows looked up as `skipped` get none.
array::Array embedding_grad(const array::Array& g, const array::Array& indices,
                            int64_t rows, int64_t skipped);

}  // namespace minitorch::ops

// The arithmetic of shapes and strides (in elements); touches no memory.
#pragma once

#include <string>

#include "array/dims.h"

namespace minitorch::array {

using Shape = Dims;
using Strides = Dims;

/// As many dimensions as upstream's MAX_DIMS and NumPy 1.x allow.
constexpr size_t kMaxDims = 32;

/// Product of the sizes; `where` names the op in the error for a negative size, more
/// than kMaxDims dimensions, or a product beyond 2^62.
int64_t element_count(const Shape& shape, const char* where);

/// Row-major strides: the last dimension has stride 1.
Strides contiguous_strides(const Shape& shape);

/// NumPy's broadcasting: (3, 1) with (4,) -> (3, 4).
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* where);

/// `dim` counted from the front; negative counts from the end. IndexError if outside.
size_t normalise_dim(int64_t dim, size_t dims, const char* where);

/// `shape` with one -1 replaced so that it holds `count` elements.
Shape infer_shape(const Shape& shape, int64_t count, const char* where);

}  // namespace minitorch::array

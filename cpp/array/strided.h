// The way between an array and the row of memory that it lies in.
#pragma once

#include "array/array.h"

namespace minitorch::array {

/// The memory of `a` from its first element to its last, as an array of one dimension.
/// ValueError for a negative stride, whose first element is not the lowest.
Array memory_row(const Array& a);

/// All of the memory that `a` looks at, as an array of one dimension.
Array whole_memory(const Array& a);

/// An array of `shape` with `strides` in a row: element (i0, i1, ...) is
/// row[i0 strides[0] + i1 strides[1] + ...]. ValueError if one lies outside.
Array strided(const Array& row, const Shape& shape, const Strides& strides);

}  // namespace minitorch::array

// The ops that move elements without computing: contiguous, copy, reshape, cast.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// `a` itself if it is row-major without gaps, else a copy that is.
array::Array contiguous(const array::Array& a);

/// A row-major copy with storage of its own.
array::Array copy(const array::Array& a);

/// Writes the elements of `a`, converted, into `out` of the same shape and device;
/// `out` may be any view whose elements do not overlap.
void copy_into(const array::Array& a, const array::Array& out);

/// The same elements as `shape` (one size may be -1): a view where possible.
array::Array reshape(const array::Array& a, const array::Shape& shape);

/// The values as `dtype`; `a` itself if it has it. Float to integer truncates.
array::Array cast(const array::Array& a, array::Dtype dtype);

}  // namespace minitorch::ops

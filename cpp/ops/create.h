// Owns the making of arrays: uninitialised, filled, counted. Knows no arithmetic.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// A row-major array whose elements are not yet written.
array::Array empty(const array::Shape& shape, array::Dtype dtype, array::Device device);

/// Every element `value`, converted to `dtype`.
array::Array full(const array::Shape& shape, double value, array::Dtype dtype,
                  array::Device device);

/// 0, 1, …, count - 1.
array::Array arange(int64_t count, array::Dtype dtype, array::Device device);

}  // namespace minitorch::ops

// The making of arrays: uninitialised, filled, counted.
#pragma once

#include "array/array.h"
#include "ops/number.h"

namespace minitorch::ops {

/// A row-major array whose elements are not yet written.
array::Array empty(const array::Shape& shape, array::Dtype dtype, array::Device device);

/// Every element `value`, converted to `dtype`.
array::Array full(const array::Shape& shape, Number value, array::Dtype dtype,
                  array::Device device);

/// Writes `value`, converted, over the elements of `out`, which may be any view.
void fill(const array::Array& out, Number value);

/// start, start + step, …: `count` of them, each computed from its index.
array::Array arange(Number start, Number step, int64_t count, array::Dtype dtype,
                    array::Device device);

}  // namespace minitorch::ops

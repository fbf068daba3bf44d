// The choice between two arrays on both devices; knows no gradients.
#pragma once

#include "array/array.h"
#include "ops/number.h"

namespace minitorch::ops {

/// condition ? a : b, element by element, of the broadcast shape and the promoted dtype
/// of `a` and `b`; what is not 0 is true.
array::Array where(const array::Array& condition, const array::Array& a,
                   const array::Array& b);

/// The same with a number for one side, which takes the dtype of the other, or float64
/// as a float beside integers; an integer that it cannot hold is a ValueError.
array::Array where(const array::Array& condition, const array::Array& a, Number b);
array::Array where(const array::Array& condition, Number a, const array::Array& b);

}  // namespace minitorch::ops

// Owns the choice between two arrays on both devices; knows no gradients.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// condition ? a : b, element by element, of the broadcast shape and the promoted dtype
/// of `a` and `b`; what is not 0 is true.
array::Array where(const array::Array& condition, const array::Array& a,
                   const array::Array& b);

}  // namespace minitorch::ops

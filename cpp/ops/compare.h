// Owns the comparisons on both devices; knows no gradients, for they have none.
#pragma once

#include "array/array.h"
#include "cpu/compare.h"

namespace minitorch::ops {

/// a op b as bool, row-major, of the broadcast shape.
array::Array compare(cpu::Compare op, const array::Array& a, const array::Array& b);

}  // namespace minitorch::ops

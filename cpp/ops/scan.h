// The place of the extreme and running sums along a dimension, on both devices; knows
// no gradients.
#pragma once

#include "array/array.h"
#include "cpu/scan.h"

namespace minitorch::ops {

/// Position along `dim` of the extreme element as int64; the dimension stays with size
/// 1. The first of equal ones; a NaN counts as the extreme.
array::Array arg_extreme(cpu::Extreme which, const array::Array& a, int64_t dim);

/// Running sums along `dim`; of integers and truth values in int64.
array::Array cumsum(const array::Array& a, int64_t dim);

}  // namespace minitorch::ops

// The reductions on both devices; knows no gradients.
#pragma once

#include "array/array.h"
#include "cpu/reduce.h"

namespace minitorch::ops {

/// The elements along `dim` joined; the dimension stays with size 1. Sums and products
/// of integers and truth values are int64.
array::Array reduce(cpu::Reduce op, const array::Array& a, int64_t dim);

/// All elements joined, of shape (1,).
array::Array reduce_all(cpu::Reduce op, const array::Array& a);

/// Sums `a` over every dimension that broadcasting `shape` to a's shape has repeated:
/// the inverse of `expand` for gradients. The result has `shape`.
array::Array sum_to(const array::Array& a, const array::Shape& shape);

}  // namespace minitorch::ops

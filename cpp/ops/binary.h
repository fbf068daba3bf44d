// Owns the binary elementwise ops on both devices; knows no gradients.
#pragma once

#include "array/array.h"
#include "cpu/binary.h"

namespace minitorch::ops {

/// A Python number beside a tensor: it takes the tensor's dtype, unless it is a float
/// and the tensor holds integers (then both become float64).
struct Number {
  double value = 0;
  bool is_integer = false;
};

/// op(a, b), row-major, of the broadcast shape and of NumPy's promoted dtype. Div and
/// Pow of integers give float64, and so do comparisons of integers.
array::Array binary(cpu::Binary op, const array::Array& a, const array::Array& b);

/// A 0-dimensional array of `number` for an operation with `a`.
array::Array beside(const array::Array& a, Number number);

/// The dtype in which `number` meets an array of `dtype`.
array::Dtype dtype_beside(array::Dtype dtype, Number number);

}  // namespace minitorch::ops

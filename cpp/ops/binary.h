// Owns the binary elementwise ops on both devices; knows no gradients.
#pragma once

#include "array/array.h"
#include "cpu/binary.h"
#include "ops/number.h"

namespace minitorch::ops {

/// op(a, b), row-major, of the broadcast shape and of NumPy's promoted dtype. Div of
/// integers gives float64. Among truth values + and maximum are "or", * and minimum
/// "and"; - is refused, and //, % and ** give uint8.
array::Array binary(cpu::Binary op, const array::Array& a, const array::Array& b);

/// A 0-dimensional array of `number` for an operation with `a`, in the dtype of `a`, or
/// in float64 for a float beside integers. An integer that the dtype cannot hold is a
/// ValueError of the op `where`; without one it becomes float64.
array::Array beside(const array::Array& a, Number number, const char* where);

/// The op's name, as errors and graphs show it.
const char* name_of(cpu::Binary op);

}  // namespace minitorch::ops

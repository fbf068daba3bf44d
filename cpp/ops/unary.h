// Owns the unary elementwise ops on both devices; knows no gradients.
#pragma once

#include "array/array.h"
#include "cpu/unary.h"

namespace minitorch::ops {

/// op(a), row-major, of the dtype of `a`; of float64 where `op` needs real numbers and
/// `a` holds integers.
array::Array unary(cpu::Unary op, const array::Array& a);

}  // namespace minitorch::ops

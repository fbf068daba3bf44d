// The elementwise ops on both devices, and what they share with others on two arrays:
// one device, one shape.
#pragma once

#include <optional>
#include <string_view>

#include "array/array.h"
#include "base/error.h"
#include "cpu/elementwise.h"
#include "ops/number.h"

namespace minitorch::ops {

/// op(a), row-major, of the dtype of `a`; of float64 where `op` needs real numbers and
/// `a` holds integers.
array::Array unary(cpu::Unary op, const array::Array& a);

/// op(a, b), row-major, of the broadcast shape and of NumPy's promoted dtype. Div of
/// integers gives float64. Among truth values + and maximum are "or", * and minimum
/// "and"; - is refused, and //, % and ** give uint8.
array::Array binary(cpu::Binary op, const array::Array& a, const array::Array& b);

/// The same beside a number, which takes the dtype of the array, or float64 as a float
/// beside integers: an argument of the kernel, which needs no memory. An integer that
/// the dtype cannot hold is a ValueError.
array::Array binary(cpu::Binary op, const array::Array& a, Number b);
array::Array binary(cpu::Binary op, Number a, const array::Array& b);

/// a = op(a, b) in the memory of `a`, in one loop or launch; false, with nothing done,
/// where none can: with a result of another dtype or shape, on `cuda` in gaps, on `cpu`
/// among integers and 16-bit floats and for an op that is no row of arithmetic.
bool binary_in_place(cpu::Binary op, const array::Array& a, const array::Array& b);
bool binary_in_place(cpu::Binary op, const array::Array& a, Number b);

/// a op b as bool, row-major, of the broadcast shape. An integer that the dtype of `a`
/// cannot hold is compared in float64.
array::Array compare(cpu::Compare op, const array::Array& a, const array::Array& b);
array::Array compare(cpu::Compare op, const array::Array& a, Number b);

/// The same as 1 and 0 of the operands' floating dtype, of float64 for integers.
array::Array order(cpu::Compare op, const array::Array& a, const array::Array& b);
array::Array order(cpu::Compare op, const array::Array& a, Number b);

/// CUDA C++ of an op of floats by its name in messages: the body of a functor of x, or
/// of a and b, of type Scalar. Raises ValueError for another name.
struct FloatCode {
  int inputs;
  const char* body;
};
FloatCode float_code(std::string_view op);

/// `a` limited to low … high, of which one may be missing; NaN stays.
array::Array clamp(const array::Array& a, std::optional<Number> low,
                   std::optional<Number> high);

/// A 0-dimensional array of `number` for an operation with `a`, in the dtype of `a`, or
/// in float64 for a float beside integers. An integer that the dtype cannot hold is a
/// ValueError of the op `where`; without one it becomes float64.
array::Array beside(const array::Array& a, Number number, const char* where);
/// The dtype that it has there, and a number as a dtype holds it.
array::Dtype dtype_beside(array::Dtype of_array, Number number, const char* where);
Number rounded(Number number, array::Dtype dtype);

/// Does it compute with real numbers, of integers too?
bool is_real(cpu::Unary op);
bool is_real(cpu::Binary op);

/// The op's name, as errors and graphs show it.
const char* name_of(cpu::Unary op);
const char* name_of(cpu::Binary op);
const char* name_of(cpu::Compare op);

/// Operands on two devices. Python: `_core.DeviceError`, a ValueError.
class DeviceError : public base::ValueError {
  using base::ValueError::ValueError;
};

/// DeviceError that names both devices unless they are one.
void require_one_device(const char* where, const array::Array& a,
                        const array::Array& b);

/// `a` expanded to `shape`; itself if it has that shape.
array::Array spread(const array::Array& a, const array::Shape& shape);

}  // namespace minitorch::ops

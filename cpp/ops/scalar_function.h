// Map, zip and reduce with a translated Python function, on both devices.
#pragma once

#include <string>
#include <vector>

#include "array/array.h"
#include "cpu/scalar_program.h"

namespace minitorch::ops {

/// A function of scalars in the two forms that the devices run. Both give the same
/// numbers: the kernels are compiled without fused multiply-add.
struct ScalarFunction {
  std::string name;  // for errors
  std::string cuda;  // declares `struct Fn`
  std::vector<cpu::ScalarType> arguments;
  std::vector<cpu::ScalarInstruction> instructions;
  size_t result = 0;  // number of the value given out
};

/// f(a), element by element, of the dtype of `a`, which is that of f's argument.
array::Array map(const ScalarFunction& f, const array::Array& a);

/// f(a, b), element by element with broadcasting; a, b and the result have the one
/// dtype of f's arguments.
array::Array zip(const ScalarFunction& f, const array::Array& a, const array::Array& b);

/// Joins the elements along `dim` by f, and `start` once; the dimension stays with
/// size 1. f must be associative and commutative up to rounding.
array::Array reduce(const ScalarFunction& f, const array::Array& a, int64_t dim,
                    double start);

}  // namespace minitorch::ops

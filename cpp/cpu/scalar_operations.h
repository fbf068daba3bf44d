// The table of a flat program's operations: a loop over a block for each name and type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace minitorch::cpu {

/// Types of values, stored as the arrays of that dtype are: bool in one byte.
enum class ScalarType : uint8_t { Bool, Int32, Int64, Float32, Float64 };

size_t size_of(ScalarType type);
const char* scalar_type_name(ScalarType type);  // NumPy's name, "float32"
/// Raises base::TypeError for a name that is none of the types.
ScalarType parse_scalar_type(std::string_view name);

/// Computes `count` elements; `out` may be one of the inputs.
using Loop = void (*)(const void* const* inputs, void* out, size_t count);

/// An operation found in the table.
struct Operation {
  Loop loop;
  int operands;
  ScalarType result;
};

/// The operation `name` in `type`: of its operands, and of its result unless that is
/// bool.
///
/// neg add sub mul div floor_divide floor_modulo power pow, lt le gt ge eq ne, and or
/// not, select (of a bool and two values), from_<type> (conversion to `type`), min,
/// max, rint, and the functions of Python's `math` by their names there. Raises
/// base::ValueError for a combination that does not exist.
Operation find_operation(std::string_view name, ScalarType type);

}  // namespace minitorch::cpu

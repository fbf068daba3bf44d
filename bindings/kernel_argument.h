// The way from a Python value to a kernel argument.
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <vector>

#include "runtime/argument_check.h"

namespace minitorch::bindings {

/// From None, Python numbers, NumPy scalars, and whatever has
/// `__minitorch_device_array__`: a tuple (address, NumPy typestr, id of the driver or
/// 0). Throws TypeError for the rest; its text names the parameter.
std::vector<runtime::Argument> to_arguments(
    const pybind11::sequence& values,
    std::span<const runtime::ParameterInfo> parameters);

}  // namespace minitorch::bindings

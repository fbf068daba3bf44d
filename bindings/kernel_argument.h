// Owns the way from a Python value to a kernel argument. Must not know kernels.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "runtime/argument_check.h"

namespace minitorch::bindings {

/// None, Python numbers, NumPy scalars, and whatever has `__minitorch_device_array__`:
/// a tuple (address, NumPy typestr, id of the driver or 0). Throws TypeError for the
/// rest.
runtime::Argument to_argument(pybind11::handle value, size_t position);

std::vector<runtime::Argument> to_arguments(const pybind11::sequence& values);

}  // namespace minitorch::bindings

// Copies between host memory and device memory; knows no arithmetic.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// `a` itself if it lives on `device`, else a row-major copy there. Waits for the
/// device when copying from it.
array::Array to_device(const array::Array& a, array::Device device);

/// The only element of `a` as a double; ValueError if it has another number of
/// elements.
double item(const array::Array& a);

}  // namespace minitorch::ops

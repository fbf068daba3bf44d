// Joining arrays along a dimension on both devices; knows no gradients.
#pragma once

#include <vector>

#include "array/array.h"

namespace minitorch::ops {

/// The arrays one after another along `dim`, in their promoted dtype. They agree in all
/// other sizes and live on one device.
array::Array cat(const std::vector<array::Array>& arrays, int64_t dim);

}  // namespace minitorch::ops

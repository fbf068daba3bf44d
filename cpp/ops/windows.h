// The check of sliding windows (kernel, stride, padding, dilation) and the number of
// windows that fit.
#pragma once

#include <array>

#include "array/array.h"
#include "kernels/windows.h"

namespace minitorch::ops {

/// Rows, columns.
using Pair = std::array<int64_t, 2>;

/// How windows slide. `before` and `after` count the padding at both ends.
struct Windows {
  Pair kernel, stride = {1, 1}, before = {0, 0}, after = {0, 0}, dilation = {1, 1};
};

/// Dimension `axis` (0: rows, 1: columns) of `size` cells. ValueError for options that
/// make no sense and for windows larger than the padded image.
kernels::SlidingAxis slide(const Windows& windows, size_t axis, int64_t size,
                           const char* where);

}  // namespace minitorch::ops

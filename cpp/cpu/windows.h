// The copies between an image and the matrix of its windows, by which a convolution
// becomes a matrix product.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/windows.h"

namespace minitorch::cpu {

struct WindowRange {
  int64_t first, end;
};

/// The windows whose tap `k` reads a cell of the image rather than padding.
inline WindowRange windows_inside(const kernels::SlidingAxis& axis, int64_t k) {
  const int64_t start = axis.before - k * axis.dilation;  // position 0 is reached here
  const int64_t stop = start + axis.size;                 // and the end here
  auto windows_before = [&](int64_t position) {
    const int64_t count = (position + axis.stride - 1) / axis.stride;
    return std::clamp<int64_t>(position <= 0 ? 0 : count, 0, axis.count);
  };
  return {windows_before(start), windows_before(stop)};
}

/// Writes what the windows of one image read: (channels, height, width) -> matrix
/// (channels * kernel rows * kernel columns, rows * columns), whose rows start
/// `row_step` apart; padding is 0.
template <class T>
void unfold(const T* image, int64_t channels, const kernels::SlidingAxis& rows,
            const kernels::SlidingAxis& columns, T* matrix, int64_t row_step);

/// The way back: adds every cell of the matrix to the cell of the image that it came
/// from.
template <class T>
void fold(const T* matrix, int64_t row_step, int64_t channels,
          const kernels::SlidingAxis& rows, const kernels::SlidingAxis& columns,
          T* image);

}  // namespace minitorch::cpu

// Owns the copies between an image and the matrix of its windows, by which a
// convolution becomes a matrix product. Knows no weights and no threads.
#pragma once

#include "kernels/windows.h"

namespace minitorch::cpu {

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

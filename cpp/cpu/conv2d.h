// The convolution of images on the host and its two gradients: unfolded windows times
// weights, by BLAS.
#pragma once

#include "kernels/windows.h"

namespace minitorch::cpu {

/// out (batch, outputs, rows, columns) = windows of x times w, plus the bias of each
/// output channel unless `bias` is null. All arrays are row-major; sizes are at
/// least 1.
template <class T>
void conv2d(const kernels::ConvShape& shape, const T* x, const T* w, const T* bias,
            T* out);

/// dx = the gradient of x from that of the output.
template <class T>
void conv2d_grad_input(const kernels::ConvShape& shape, const T* g, const T* w, T* dx);

/// dw = the gradient of w from that of the output.
template <class T>
void conv2d_grad_weight(const kernels::ConvShape& shape, const T* g, const T* x, T* dw);

}  // namespace minitorch::cpu

// The convolution of each channel by itself on the host and its two gradients: rows of
// windows times one weight each.
#pragma once

#include "kernels/windows.h"

namespace minitorch::cpu {

/// Has each channel its own window and one output?
inline bool is_depthwise(const kernels::ConvShape& s) {
  return s.group_channels() == 1 && s.group_outputs() == 1 && s.groups > 1;
}

/// What the functions of conv2d.h compute, for such a shape.
template <class T>
void depthwise(const kernels::ConvShape& shape, const T* x, const T* w, const T* bias,
               T* out);
template <class T>
void depthwise_grad_input(const kernels::ConvShape& shape, const T* g, const T* w,
                          T* dx);
template <class T>
void depthwise_grad_weight(const kernels::ConvShape& shape, const T* g, const T* x,
                           T* dw);

}  // namespace minitorch::cpu

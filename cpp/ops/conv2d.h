// The convolution of images and its two gradients on both devices: shapes, dtypes, the
// choice of loop or kernel.
#pragma once

#include "ops/windows.h"

namespace minitorch::ops {

struct ConvOptions {
  Pair stride = {1, 1}, before = {0, 0}, after = {0, 0}, dilation = {1, 1};
  int64_t groups = 1;
  const char* where = "conv2d";  // for errors
};

/// x (n, channels, height, width), w (outputs, channels / groups, kernel rows, kernel
/// columns), bias (outputs,) or undefined -> (n, outputs, rows, columns).
array::Array conv2d(const array::Array& x, const array::Array& w,
                    const array::Array& bias, const ConvOptions& options);

/// The gradient of x, of shape `input`, from that of the output.
array::Array conv2d_grad_input(const array::Array& g, const array::Array& w,
                               const array::Shape& input, const ConvOptions& options);

/// The gradient of w, of shape `weight`, from that of the output.
array::Array conv2d_grad_weight(const array::Array& g, const array::Array& x,
                                const array::Shape& weight, const ConvOptions& options);

}  // namespace minitorch::ops

// The convolution of images and signals and its gradients, which are convolutions, too.
#pragma once

#include "autograd/tensor.h"
#include "ops/conv2d.h"

namespace minitorch::autograd {

/// x (n, channels, height, width), w (outputs, channels / groups, kernel rows, kernel
/// columns), bias (outputs,) or null -> (n, outputs, rows, columns).
TensorPtr conv2d(const TensorPtr& x, const TensorPtr& w, const TensorPtr& bias,
                 const ops::ConvOptions& options);

/// The same along one dimension: x (n, channels, length), w (outputs, channels /
/// groups, kernel). The second numbers of the options count.
TensorPtr conv1d(const TensorPtr& x, const TensorPtr& w, const TensorPtr& bias,
                 const ops::ConvOptions& options);

/// The gradient of x, of shape `input`, from that of conv2d's output: by itself the
/// transposed convolution.
TensorPtr conv2d_grad_input(const TensorPtr& g, const TensorPtr& w,
                            const array::Shape& input, const ops::ConvOptions& options);

/// The gradient of w, of shape `weight`, from that of conv2d's output.
TensorPtr conv2d_grad_weight(const TensorPtr& g, const TensorPtr& x,
                             const array::Shape& weight,
                             const ops::ConvOptions& options);

}  // namespace minitorch::autograd

// Owns the smooth activations beyond sigmoid and tanh, and their gradients.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

TensorPtr erf(const TensorPtr& a);
/// a Φ(a), Φ being the normal distribution's; its usual approximation by tanh.
TensorPtr gelu(const TensorPtr& a);
TensorPtr gelu_tanh(const TensorPtr& a);
/// a sigmoid(a)
TensorPtr silu(const TensorPtr& a);

}  // namespace minitorch::autograd

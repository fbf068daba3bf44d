// Owns the unary elementwise ops on tensors and their gradients.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

TensorPtr neg(const TensorPtr& a);
TensorPtr abs(const TensorPtr& a);   // gradient 0 at 0
TensorPtr relu(const TensorPtr& a);  // gradient 0 at 0
TensorPtr sign(const TensorPtr& a);  // these four have gradient 0
TensorPtr floor(const TensorPtr& a);
TensorPtr ceil(const TensorPtr& a);
TensorPtr round(const TensorPtr& a);    // halves to even
TensorPtr sigmoid(const TensorPtr& a);  // 1 / (1 + exp(-a)), no overflow
TensorPtr exp(const TensorPtr& a);
TensorPtr log(const TensorPtr& a);
TensorPtr sqrt(const TensorPtr& a);
TensorPtr rsqrt(const TensorPtr& a);  // 1 / sqrt(a)
TensorPtr reciprocal(const TensorPtr& a);
TensorPtr sin(const TensorPtr& a);
TensorPtr cos(const TensorPtr& a);
TensorPtr tanh(const TensorPtr& a);

}  // namespace minitorch::autograd

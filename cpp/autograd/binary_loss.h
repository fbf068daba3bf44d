// The losses on yes and no, element by element: what each is, is said here.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// -(t log(p) + (1 - t) log(1 - p)) of probabilities `p` and targets `t`, which
/// broadcast; each logarithm is held above -100. Dividing by p (1 - p), the gradient
/// holds it above 1e-12, so that it is finite where p is 0 or 1.
TensorPtr binary_cross_entropy(const TensorPtr& p, const TensorPtr& t);

/// The same of sigmoid(x), without overflow: (1 - t) x + (1 + (w - 1) t) log(1 +
/// exp(-x)). `w`, which may be null, weighs the yes side and broadcasts. The gradient
/// is a difference of two sigmoids, exact at both ends.
TensorPtr binary_cross_entropy_with_logits(const TensorPtr& x, const TensorPtr& t,
                                           const TensorPtr& w);

}  // namespace minitorch::autograd

// Owns softmax, its logarithm and the losses on class labels, and their gradients.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// exp(a) / sum(exp(a)) along `dim`, without overflow.
TensorPtr softmax(const TensorPtr& a, int64_t dim);

/// a - log(sum(exp(a))) along `dim`, without overflow.
TensorPtr log_softmax(const TensorPtr& a, int64_t dim);

/// Mean of -log_probabilities[i, labels[i]]: (n, classes) with integer labels (n,) ->
/// (1,).
TensorPtr nll_loss(const TensorPtr& log_probabilities, const TensorPtr& labels);

/// nll_loss of log_softmax(logits, 1).
TensorPtr cross_entropy(const TensorPtr& logits, const TensorPtr& labels);

}  // namespace minitorch::autograd

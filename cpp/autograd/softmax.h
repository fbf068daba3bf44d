// Softmax, its logarithm and the losses on class labels, and their gradients.
#pragma once

#include "autograd/tensor.h"
#include "ops/cross_entropy.h"

namespace minitorch::autograd {

/// exp(a) / sum(exp(a)) along `dim`, without overflow.
TensorPtr softmax(const TensorPtr& a, int64_t dim);

/// softmax of a (…, targets, sources) along the sources, of which target i sees the
/// first i + 1; the others get 0.
TensorPtr causal_softmax(const TensorPtr& a);

/// a - log(sum(exp(a))) along `dim`, without overflow.
TensorPtr log_softmax(const TensorPtr& a, int64_t dim);

/// Mean of -log_probabilities[i, labels[i]]: (n, classes) with integer labels (n,) ->
/// (1,).
TensorPtr nll_loss(const TensorPtr& log_probabilities, const TensorPtr& labels);

/// nll_loss of log_softmax(logits, 1).
TensorPtr cross_entropy(const TensorPtr& logits, const TensorPtr& labels);

/// What labels are compared with, and how (ops/cross_entropy.h); `weight` may be null
/// and gets no gradient.
struct LabelLoss {
  TensorPtr labels, weight;
  int64_t ignored;
  double smoothing;
  ops::Reduction reduction;
};

/// The loss of scores (n, classes, …) on labels (n, …), in one step.
TensorPtr cross_entropy(const TensorPtr& scores, const LabelLoss& how);

}  // namespace minitorch::autograd

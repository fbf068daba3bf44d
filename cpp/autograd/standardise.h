// Normalisation on tensors: groups of cells brought to mean 0 and variance 1, with what
// a layer does after it, and its gradients.
#pragma once

#include <tuple>

#include "autograd/tensor.h"
#include "ops/standardise.h"

namespace minitorch::autograd {

using ops::Layer;

/// The learned part of a layer: y * weight + bias, of the layer's groups, or with
/// `of_cells` of the cells of a group (ops/standardise.h). Null ones are left out.
struct Learned {
  TensorPtr weight = nullptr, bias = nullptr;
  bool of_cells = false;
};

/// (x - mean) / sqrt(variance + epsilon) * weight + bias, with the mean and the biased
/// variance of each group (groups,), which have no history. `running` moves in place.
std::tuple<TensorPtr, TensorPtr, TensorPtr> standardise(
    const TensorPtr& x, const Layer& layer, const Learned& learned = {},
    const ops::Running& running = {});

/// The same with a mean and a variance (groups,) that are known, for x of (outer,
/// groups, …).
TensorPtr normalise(const TensorPtr& x, const TensorPtr& mean,
                    const TensorPtr& variance, const Layer& layer,
                    const Learned& learned);

}  // namespace minitorch::autograd

// Owns going back through a graph. Must not know any op.
#pragma once

#include <functional>

#include "autograd/tensor.h"

namespace minitorch::autograd {

struct BackwardOptions {
  bool retain_graph = false;  // keep saved values for another call
  bool create_graph = false;  // record the gradients' own graph (implies retain_graph)
  std::function<void()> poll = {};  // called every few nodes; throws to stop
};

/// Adds d(root)/d(leaf) to `grad` of every leaf that `root` depends on. `gradient` is
/// the gradient of `root`, by default 1 for a root of one element. Each node is visited
/// once, after all that depend on it, without recursion. Throws StateError for a root
/// without history or a freed graph, ValueError for a gradient that does not fit; then
/// no leaf has changed.
void backward(const TensorPtr& root, TensorPtr gradient, BackwardOptions options);

}  // namespace minitorch::autograd

// Going back through a graph.
#pragma once

#include <functional>
#include <vector>

#include "autograd/tensor.h"

namespace minitorch::autograd {

struct BackwardOptions {
  bool retain_graph = false;  // keep saved values for another call
  bool create_graph = false;  // record the gradients' own graph (implies retain_graph)
  std::function<void()> poll = {};  // called every few nodes; throws to stop
};

/// Where a backward starts: `gradient` is that of `tensor`, or null for 1 if it has one
/// element.
struct Root {
  TensorPtr tensor, gradient;
};

/// Adds d(root)/d(leaf) to `grad` of every leaf that a root depends on. Each node is
/// visited once, after all that depend on it, without recursion. Throws StateError for
/// a root without history or a freed graph, ValueError for a gradient that does not
/// fit; then no leaf has changed.
void backward(const std::vector<Root>& roots, const BackwardOptions& options);
void backward(const TensorPtr& root, const TensorPtr& gradient,
              const BackwardOptions& options);

/// The sum of d(root)/d(input) for each input, which need not be a leaf; null for one
/// that no root depends on. No leaf changes, and only what lies between is visited.
std::vector<TensorPtr> gradients(const std::vector<Root>& roots,
                                 const std::vector<TensorPtr>& inputs,
                                 const BackwardOptions& options);

}  // namespace minitorch::autograd

// Owns going back through a graph. Must not know any op beyond adding gradients.
#include "autograd/engine.h"

#include <unordered_map>

#include "autograd/binary.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/reduce.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"

namespace minitorch::autograd {
namespace {

using base::text;
using base::tuple_text;

constexpr size_t kNodesPerPoll = 256;

struct Progress {
  size_t waiting_for = 0;  // nodes that still have to send their gradient
  TensorPtr gradient;      // sum of those that arrived
};
using Plan = std::unordered_map<Node*, Progress>;

/// Counts who sends gradients to whom, and refuses a freed graph before any leaf
/// changes.
Plan plan_of(Node* root) {
  Plan plan;
  plan.emplace(root, Progress{});
  std::vector<Node*> open{root};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node->released()) {
      throw base::StateError(
          "backward", text("got a graph that an earlier backward() freed (at ",
                           node->name(), "); need retain_graph=True in that call."));
    }
    for (const auto& input : node->inputs()) {
      if (!input) continue;
      auto [found, is_new] = plan.try_emplace(input.get());
      ++found->second.waiting_for;
      if (is_new) open.push_back(input.get());
    }
  }
  return plan;
}

bool broadcasts_to(const array::Shape& from, const array::Shape& to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size != 1 && size != to[to.size() - i]) return false;
  }
  return true;
}

/// A gradient in the shape, dtype and on the device of what it belongs to.
TensorPtr fitted(const TensorPtr& gradient, const Node& node, const char* from) {
  TensorPtr out = gradient;
  const array::Shape& got = gradient->value.shape();
  if (got != node.shape()) {
    if (broadcasts_to(node.shape(), got)) {
      out = sum_to(out, node.shape());
    } else if (broadcasts_to(got, node.shape())) {
      out = expand(out, node.shape());
    } else {
      throw base::ValueError(
          "backward", text("got a gradient of shape ", tuple_text(got), " from ", from,
                           "; need ", tuple_text(node.shape()), "."));
    }
  }
  if (out->value.device() != node.device()) {
    throw base::ValueError(
        "backward", text("got a gradient on ", device_name(out->value.device()),
                         " from ", from, "; need ", device_name(node.device()), "."));
  }
  return cast(out, node.dtype());
}

TensorPtr first_gradient(const TensorPtr& root, const TensorPtr& given) {
  const array::Array& value = root->value;
  if (given) {
    if (given->value.shape() != value.shape()) {
      throw base::ValueError(
          "backward", text("got a gradient of shape ", tuple_text(given->value.shape()),
                           "; need ", tuple_text(value.shape()), "."));
    }
    return given;
  }
  if (value.size() != 1) {
    throw base::ValueError("backward",
                           text("got shape ", tuple_text(value.shape()),
                                "; need one element, or a gradient of that shape. Try "
                                ".sum().backward()."));
  }
  return make_tensor(ops::full(value.shape(), 1, value.dtype(), value.device()));
}

void send(Node& node, Gradients gradients, Plan& plan, std::vector<Node*>& ready) {
  const auto& inputs = node.inputs();
  if (gradients.size() != inputs.size()) {
    throw base::ValueError(
        "backward", text("got ", gradients.size(), " gradients from ", node.name(),
                         "; need ", inputs.size(), ", one for each input."));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    Progress& progress = plan.at(inputs[i].get());
    if (gradients[i]) {
      TensorPtr gradient = fitted(gradients[i], *inputs[i], node.name());
      gradients[i].reset();
      progress.gradient =
          progress.gradient ? add(progress.gradient, gradient) : std::move(gradient);
    }
    if (--progress.waiting_for == 0) ready.push_back(inputs[i].get());
  }
}

}  // namespace

void backward(const TensorPtr& root, TensorPtr gradient, BackwardOptions options) {
  const std::shared_ptr<Node> start = gradient_edge(root);
  if (!start) {
    throw base::StateError("backward",
                           "got a tensor without history; need one computed from a "
                           "tensor with requires_grad=True.");
  }
  const bool retain = options.retain_graph || options.create_graph;
  GradMode mode(options.create_graph);
  gradient = first_gradient(root, gradient);
  Plan plan = plan_of(start.get());
  plan.at(start.get()).gradient = fitted(gradient, *start, "the call");
  gradient.reset();
  std::vector<Node*> ready{start.get()};
  for (size_t visited = 1; !ready.empty(); ++visited) {
    if (options.poll && visited % kNodesPerPoll == 0) options.poll();
    Node* node = ready.back();
    ready.pop_back();
    const TensorPtr arrived = std::move(plan.at(node).gradient);
    Gradients gradients(node->inputs().size());
    if (arrived) {
      const Visit visit(*node);
      gradients = node->backward(arrived);
    }
    send(*node, std::move(gradients), plan, ready);
    if (!retain) node->release();
  }
}

}  // namespace minitorch::autograd

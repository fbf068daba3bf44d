#include "autograd/engine.h"

#include <unordered_map>

#include "autograd/anomaly.h"
#include "autograd/dialect.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"
#include "runtime/recorder.h"

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
using Wanted = std::unordered_map<Node*, TensorPtr>;  // gradients to hand out

/// Leaves in the plan only the nodes from which a wanted one is reached.
void keep_only_ways_to(const Wanted& wanted, Plan& plan) {
  std::unordered_map<Node*, std::vector<Node*>> users;
  for (const auto& [node, progress] : plan) {
    for (const auto& input : node->inputs()) {
      if (input) users[input.get()].push_back(node);
    }
  }
  Plan kept;
  std::vector<Node*> open;
  for (const auto& [node, gradient] : wanted) {
    if (plan.contains(node) && kept.try_emplace(node).second) open.push_back(node);
  }
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    for (Node* user : users[node]) {
      if (kept.try_emplace(user).second) open.push_back(user);
    }
  }
  plan = std::move(kept);
}

/// Lists the nodes that the roots depend on, or of these the ways to the wanted ones,
/// and counts who sends gradients to whom. Refuses a freed graph before any leaf
/// changes.
Plan plan_of(const std::vector<std::shared_ptr<Node>>& roots, const Wanted& wanted) {
  Plan plan;
  std::vector<Node*> open;
  for (const auto& root : roots) {
    if (plan.try_emplace(root.get()).second) open.push_back(root.get());
  }
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    for (const auto& input : node->inputs()) {
      if (input && plan.try_emplace(input.get()).second) open.push_back(input.get());
    }
  }
  if (!wanted.empty()) keep_only_ways_to(wanted, plan);
  for (const auto& [node, progress] : plan) {
    if (node->released()) {
      throw base::StateError(
          "backward", text("an earlier backward() freed this graph (at ", node->name(),
                           "). Call that one with retain_graph=True."));
    }
    for (const auto& input : node->inputs()) {
      const auto found = plan.find(input.get());
      if (found != plan.end()) ++found->second.waiting_for;
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
    require_one_dialect("backward", root, given);
    return given;
  }
  if (value.size() != 1) {
    throw base::ValueError("backward",
                           text("a tensor of shape ", tuple_text(value.shape()),
                                " needs a gradient of that shape; it is 1 by default "
                                "for a single element only. Try .sum().backward()."));
  }
  auto one =
      make_tensor(ops::full(value.shape(), Number{1}, value.dtype(), value.device()));
  one->backend = root->backend;
  one->dialect = root->dialect;
  return one;
}

/// Adds a gradient to those that arrived at `node`.
void receive(Progress& progress, TensorPtr gradient) {
  progress.gradient =
      progress.gradient ? add(progress.gradient, gradient) : std::move(gradient);
}

void send(Node& node, Gradients gradients, Dialect dialect, Plan& plan,
          std::vector<Node*>& ready) {
  const auto& inputs = node.inputs();
  if (gradients.size() != inputs.size()) {
    throw base::ValueError(
        "backward", text("got ", gradients.size(), " gradients from ", node.name(),
                         "; need ", inputs.size(), ", one for each input."));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto found = plan.find(inputs[i].get());
    if (found == plan.end()) continue;
    if (gradients[i]) {
      TensorPtr gradient = fitted(gradients[i], *inputs[i], node.name());
      gradients[i].reset();
      if (gradient->dialect == Dialect::None) gradient->dialect = dialect;
      receive(found->second, std::move(gradient));
    }
    if (--found->second.waiting_for == 0) ready.push_back(found->first);
  }
}

/// Runs what is to happen where a gradient arrives; returns the one to go on with.
TensorPtr through_hooks(const Node& node, TensorPtr gradient) {
  const std::shared_ptr<Hooks> hooks = node.hooks();
  if (!hooks) return gradient;
  const auto list = hooks->list;  // a hook may remove itself
  for (const auto& [number, hook] : list) {
    if (TensorPtr other = (*hook)(gradient)) gradient = fitted(other, node, "a hook");
  }
  for (const auto& keeper : hooks->keepers) {
    if (const TensorPtr tensor = keeper.lock()) accumulate(*tensor, gradient);
  }
  return gradient;
}

/// Does the plan visit a node behind this one?
bool goes_on(const Node& node, const Plan& plan) {
  for (const auto& input : node.inputs()) {
    if (plan.contains(input.get())) return true;
  }
  return false;
}

/// The nodes where the roots' gradients arrive.
std::vector<std::shared_ptr<Node>> edges_of(const std::vector<Root>& roots) {
  std::vector<std::shared_ptr<Node>> edges;
  for (const Root& root : roots) {
    edges.push_back(gradient_edge(root.tensor));
    if (!edges.back()) {
      throw base::StateError("backward",
                             "the tensor has no history: it was not computed from a "
                             "tensor with requires_grad=True.");
    }
  }
  return edges;
}

/// One walk back. Without wanted nodes the leaves collect their gradients; with them,
/// these are all that is filled in.
void walk(const std::vector<Root>& roots, Wanted& wanted,
          const BackwardOptions& options) {
  const std::vector<std::shared_ptr<Node>> edges = edges_of(roots);
  const bool retain = options.retain_graph || options.create_graph;
  const bool collect = wanted.empty();
  GradMode mode(options.create_graph);
  std::vector<TensorPtr> first;
  for (const Root& root : roots) {
    first.push_back(first_gradient(root.tensor, root.gradient));
    if (anomaly_mode()) refuse_nan_at_start(first.back());
  }
  Plan plan = plan_of(edges, wanted);
  std::vector<Node*> ready;
  for (size_t i = 0; i < edges.size(); ++i) {
    const auto found = plan.find(edges[i].get());
    if (found == plan.end()) continue;
    Progress& progress = found->second;
    if (!progress.gradient && progress.waiting_for == 0) ready.push_back(found->first);
    receive(progress, fitted(first[i], *edges[i], "the call"));
    first[i].reset();
  }
  for (size_t visited = 1; !ready.empty(); ++visited) {
    if (options.poll && visited % kNodesPerPoll == 0) options.poll();
    Node* node = ready.back();
    ready.pop_back();
    TensorPtr arrived = std::move(plan.at(node).gradient);
    const runtime::OpScope scope(node->name(), node->sequence());
    Gradients gradients(node->inputs().size());
    if (arrived) {
      const Visit visit(*node);
      arrived = through_hooks(*node, std::move(arrived));
      const auto asked = wanted.find(node);
      if (asked != wanted.end()) asked->second = arrived;
      if (!collect && !goes_on(*node, plan)) continue;
      const runtime::WithKernelTexts texts(node->kernel_texts());
      gradients = node->backward(arrived);
      if (anomaly_mode()) refuse_nan(node->name(), node->origin(), gradients);
    }
    const Dialect dialect = arrived ? arrived->dialect : Dialect::None;
    if (!node->inputs().empty()) {
      send(*node, std::move(gradients), dialect, plan, ready);
    }
    if (!retain) node->release();
  }
}

}  // namespace

void backward(const std::vector<Root>& roots, const BackwardOptions& options) {
  Wanted none;
  walk(roots, none, options);
}

void backward(const TensorPtr& root, const TensorPtr& gradient,
              const BackwardOptions& options) {
  backward({Root{root, gradient}}, options);
}

std::vector<TensorPtr> gradients(const std::vector<Root>& roots,
                                 const std::vector<TensorPtr>& inputs,
                                 const BackwardOptions& options) {
  Wanted wanted;
  std::vector<std::shared_ptr<Node>> edges;
  for (const TensorPtr& input : inputs) {
    edges.push_back(gradient_edge(input));
    if (!edges.back()) {
      throw base::StateError(
          "grad",
          text("got an input of shape ", tuple_text(input->value.shape()),
               " without a gradient; need requires_grad=True before it is used."));
    }
    wanted.emplace(edges.back().get(), nullptr);
  }
  if (wanted.empty()) return {};
  walk(roots, wanted, options);
  std::vector<TensorPtr> found;
  for (const auto& edge : edges) found.push_back(wanted.at(edge.get()));
  return found;
}

}  // namespace minitorch::autograd

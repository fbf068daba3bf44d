#include "autograd/node.h"

#include <mutex>
#include <set>

#include "autograd/anomaly.h"
#include "autograd/dialect.h"
#include "autograd/region.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

thread_local bool recording = true;
thread_local const Node* visited = nullptr;

/// What is waiting to be destroyed on this thread; the outermost destructor empties it.
struct Graveyard {
  std::vector<std::shared_ptr<void>> waiting;
  bool emptying = false;
};
thread_local Graveyard graveyard;

class BuiltinNode final : public Node {
 public:
  BuiltinNode(const char* name, Backward backward)
      : name_(name), backward_(std::make_shared<Backward>(std::move(backward))) {}
  ~BuiltinNode() override { destroy_later(std::move(backward_)); }

  const char* name() const override { return name_; }
  Gradients backward(const TensorPtr& gradient) override {
    return (*backward_)(gradient, *this);
  }
  void release() override {
    released_ = true;
    destroy_later(std::move(backward_));
  }

 private:
  const char* name_;
  std::shared_ptr<Backward> backward_;  // with the saved values in its closure
};

/// The end of the road: adds the gradient to a leaf.
class Accumulator final : public Node {
 public:
  explicit Accumulator(TensorPtr leaf) : leaf_(std::move(leaf)) {
    connect({}, leaf_->value);
    set_hooks(leaf_->hooks);
  }

  const char* name() const override { return "accumulate"; }
  TensorPtr leaf() const override { return leaf_; }
  Gradients backward(const TensorPtr& gradient) override {
    accumulate(*leaf_, gradient);
    return {};
  }
  void release() override {}

 private:
  TensorPtr leaf_;
};

/// Values shared with others are copied, so that writing to one leaf's gradient from
/// outside never changes another's.
array::Array own(const array::Array& value) {
  const bool shared = value.storage().use_count() > 1;
  return shared || !value.is_contiguous() ? ops::copy(value) : value;
}

/// An output that shows the memory of an input is a view of it, whichever op made it.
void note_view(Tensor& out, const std::vector<TensorPtr>& inputs) {
  for (const TensorPtr& input : inputs) {
    if (!input || out.value.storage() != input->value.storage()) continue;
    if (recording) {
      out.base = input->base ? input->base : input;
      out.history = out.base->history;
      out.untracked_view = input->untracked_view;
    } else {
      out.untracked_view = input->untracked_view || input->requires_grad;
    }
    return;
  }
}

}  // namespace

void Node::destroy_later(std::shared_ptr<void> owned) {
  if (!owned) return;
  graveyard.waiting.push_back(std::move(owned));
  if (graveyard.emptying) return;
  graveyard.emptying = true;
  while (!graveyard.waiting.empty()) {
    std::shared_ptr<void> next = std::move(graveyard.waiting.back());
    graveyard.waiting.pop_back();
    next.reset();  // may call destroy_later, which now only queues
  }
  graveyard.emptying = false;
}

void Node::call(const std::string& name) {
  static std::mutex lock;
  static std::set<std::string> known;  // few, and their text stays where it is
  const std::lock_guard guard(lock);
  called_ = known.insert(name).first->c_str();
}

Node::~Node() {
  for (auto& input : inputs_) destroy_later(std::move(input));
}

bool Node::is_spent(int steps) const {
  if (released_) return true;
  if (steps == 0) return false;
  bool any = false;
  for (const auto& input : inputs_) {
    if (!input) continue;
    if (!input->is_spent(steps - 1)) return false;
    any = true;
  }
  return any;
}

void Node::forget_spent() {
  bool any = false, all = true;
  for (auto& input : inputs_) {
    if (!input) continue;
    any = true;
    if (!input->is_spent()) {
      all = false;
    } else if (!input->inputs().empty()) {
      // Another step in its place: others may go through the graph of this one.
      const auto stump = std::make_shared<BuiltinNode>("an earlier step", Backward());
      stump->release();
      destroy_later(std::exchange(input, stump));
    }
  }
  if (!any || !all) return;
  release();
  released_ = true;
  inputs_.clear();
}

void Node::connect(const std::vector<TensorPtr>& inputs, const array::Array& output) {
  inputs_.reserve(inputs.size());
  for (const TensorPtr& input : inputs) inputs_.push_back(gradient_edge(input));
  shape_ = output.shape();
  dtype_ = output.dtype();
  device_ = output.device();
}

std::shared_ptr<Node> gradient_edge(const TensorPtr& a) {
  if (!a || !requires_gradient(a)) return nullptr;
  if (a->node) return a->node;
  std::weak_ptr<Node> seen = a->accumulator.load();
  for (;;) {
    if (auto known = seen.lock()) return known;
    const auto made = std::make_shared<Accumulator>(a);
    // Another thread may use the leaf for the first time, too: one of them wins.
    if (a->accumulator.compare_exchange_strong(seen, made)) return made;
  }
}

void SavedArray::refuse() const {
  throw base::StateError(
      "backward",
      base::text("a tensor of shape ", base::tuple_text(value_.shape()), " that ",
                 visited ? visited->name() : "an op", " saved at version ", version_,
                 " was changed in place; it is at version ",
                 value_.storage()->version(),
                 " now. Try the op that makes a new tensor, or change a "
                 ".clone()."));
}

Visit::Visit(const Node& node) : previous_(visited) { visited = &node; }
Visit::~Visit() { visited = previous_; }

namespace {

// add() of elementwise.h, which stands above nodes.
TensorPtr total(const TensorPtr& a, const TensorPtr& b) {
  const runtime::OpScope scope("add", {&a->value, &b->value});
  return record("add", ops::binary(cpu::Binary::Add, a->value, b->value), {a, b}, [] {
    return [](const TensorPtr& g, Node&) { return Gradients{g, g}; };
  });
}

}  // namespace

void accumulate(Tensor& to, const TensorPtr& gradient) {
  if (grad_enabled()) {
    to.grad = to.grad ? total(to.grad, gradient) : gradient;
  } else {
    to.grad =
        make_tensor(to.grad ? total(to.grad, gradient)->value : own(gradient->value));
  }
  to.grad->backend = to.backend;
  to.grad->dialect = to.dialect;
}

std::shared_ptr<Hooks> hooks_of(const TensorPtr& a, const char* where) {
  const std::shared_ptr<Node> edge = gradient_edge(a);
  if (!edge) {
    throw base::StateError(
        where,
        "got a tensor without a gradient; need one with requires_grad=True, or one "
        "computed from such a tensor.");
  }
  if (!edge->hooks()) edge->set_hooks(std::make_shared<Hooks>());
  if (a->is_leaf()) a->hooks = edge->hooks();  // its accumulator may go and come again
  return edge->hooks();
}

void retain_grad(const TensorPtr& a) {
  const std::shared_ptr<Hooks> hooks = hooks_of(a, "retain_grad");
  if (a->is_leaf()) return;
  for (const auto& keeper : hooks->keepers) {
    if (keeper.lock() == a) return;
  }
  hooks->keepers.push_back(a);
}

Saved::Saved(const TensorPtr& a)
    : array_(a->value),
      edge_(gradient_edge(a)),
      backend_(a->backend),
      dialect_(a->dialect) {}

TensorPtr Saved::tensor() const {
  auto out = make_tensor(array_.value(), edge_ != nullptr);
  out->node = edge_;
  out->backend = backend_;
  out->dialect = dialect_;
  return out;
}

bool grad_enabled() { return recording; }

bool set_grad_enabled(bool enabled) { return std::exchange(recording, enabled); }

GradMode::GradMode(bool enabled) : previous_(recording) { recording = enabled; }
GradMode::~GradMode() { recording = previous_; }

bool requires_gradient(const TensorPtr& a) {
  if (a->base && a->history != a->base->history) follow_base(a);
  return a->requires_grad;
}

bool is_leaf(const TensorPtr& a) {
  return requires_gradient(a) && a->is_leaf();  // a view may have a history by now
}

bool records(const std::vector<TensorPtr>& inputs) {
  if (!recording) return false;
  bool any = false;  // all are looked at: each may have a base to follow
  for (const TensorPtr& input : inputs) {
    if (input && requires_gradient(input)) any = true;
  }
  return any;
}

void inherit(Tensor& output, const std::vector<TensorPtr>& inputs) {
  for (const TensorPtr& input : inputs) {
    if (!input) continue;
    if (input->backend && !output.backend) output.backend = input->backend;
    output.dialect = common_dialect(output.dialect, input->dialect);
  }
}

TensorPtr attach(array::Array output, const std::vector<TensorPtr>& inputs,
                 std::shared_ptr<Node> node) {
  node->connect(inputs, output);
  // Losses that are added up after their backward() would keep every step's graph.
  if (output.dims() == 0) node->forget_spent();
  node->sequence_ = runtime::next_sequence();
  node->kernel_texts_ = runtime::kernel_texts();
  if (anomaly_mode()) node->origin_ = std::make_unique<std::string>(call_site());
  auto out = make_tensor(std::move(output), true);
  out->node = std::move(node);
  inherit(*out, inputs);
  note_view(*out, inputs);
  return out;
}

TensorPtr without_node(array::Array output, const std::vector<TensorPtr>& inputs) {
  auto out = make_tensor(std::move(output));
  note_view(*out, inputs);
  inherit(*out, inputs);
  return out;
}

TensorPtr record_node(const char* name, array::Array output,
                      const std::vector<TensorPtr>& inputs, Backward backward) {
  return attach(std::move(output), inputs,
                std::make_shared<BuiltinNode>(name, std::move(backward)));
}

TensorPtr output_of(Node& node, const SavedArray& output) {
  auto out = make_tensor(output.value(), true);
  out->node = node.shared_from_this();
  return out;
}

}  // namespace minitorch::autograd

// One step of a graph: who its inputs were and how a gradient goes back through it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/tensor.h"
#include "runtime/kernel_texts.h"

namespace minitorch::autograd {

/// Gradients for the inputs of a node, in order; null where none is needed.
using Gradients = std::vector<TensorPtr>;

/// Sees the whole gradient of a tensor before it goes further.
class Hook {
 public:
  virtual ~Hook() = default;
  /// The gradient to go on with, or null for this one.
  virtual TensorPtr operator()(const TensorPtr& gradient) = 0;
};

/// What happens where a gradient arrives. Shared with the handles that remove hooks.
struct Hooks {
  std::vector<std::pair<uint64_t, std::shared_ptr<Hook>>> list;  // by number
  uint64_t next = 0;
  std::vector<std::weak_ptr<Tensor>> keepers;  // tensors whose `grad` is asked for
};

/// A step of a graph. Nodes own what they need for going back; chains of nodes of any
/// length are freed without recursion.
class Node : public std::enable_shared_from_this<Node> {
 public:
  virtual ~Node();

  /// The op's name, as errors and drawings show it.
  virtual const char* name() const = 0;
  /// From the gradient of the output to those of the inputs.
  virtual Gradients backward(const TensorPtr& gradient) = 0;
  /// Drops the saved values; a later backward through this node is an error.
  virtual void release() = 0;
  /// The tensor whose gradient arrives here, for the end of a path; else null.
  virtual TensorPtr leaf() const { return nullptr; }

  /// What PyTorch's dialect calls the step, if somebody said so; else empty.
  const char* called() const { return called_; }
  void call(const std::string& name);
  const std::vector<std::shared_ptr<Node>>& inputs() const { return inputs_; }
  bool released() const { return released_; }
  /// Do all ways back from here end at steps that an earlier backward() freed? Looks a
  /// few steps far.
  bool is_spent(int steps = 4) const;
  const std::shared_ptr<Hooks>& hooks() const { return hooks_; }
  void set_hooks(std::shared_ptr<Hooks> hooks) { hooks_ = std::move(hooks); }
  /// The number that the step was given while something was recorded, or -1.
  int64_t sequence() const { return sequence_; }
  /// The kernel texts under which the step was recorded: it goes back with them.
  const std::shared_ptr<const runtime::KernelTexts>& kernel_texts() const {
    return kernel_texts_;
  }
  /// Where the op was called, if anomaly mode was on (anomaly.h); else empty.
  std::string origin() const { return origin_ ? *origin_ : std::string(); }
  const array::Shape& shape() const { return shape_; }
  array::Dtype dtype() const { return dtype_; }
  array::Device device() const { return device_; }

 protected:
  /// Notes the edges to `inputs`, and the kind of array that `output` is.
  void connect(const std::vector<TensorPtr>& inputs, const array::Array& output);
  /// For the destructors of subclasses: hands over what may own other nodes, so that it
  /// is destroyed one at a time.
  static void destroy_later(std::shared_ptr<void> owned);
  bool released_ = false;

 private:
  /// Keeps nothing behind what is spent: neither this step's inputs nor theirs.
  void forget_spent();

  std::vector<std::shared_ptr<Node>> inputs_;  // null where no gradient is needed
  array::Shape shape_;
  array::Dtype dtype_ = array::Dtype::Float64;
  array::Device device_ = array::Device::Cpu;
  std::shared_ptr<Hooks> hooks_;
  std::unique_ptr<std::string> origin_;
  const char* called_ = "";
  int64_t sequence_ = -1;
  std::shared_ptr<const runtime::KernelTexts> kernel_texts_;

  friend TensorPtr attach(array::Array, const std::vector<TensorPtr>&,
                          std::shared_ptr<Node>);
};

/// Where the gradient of `a` goes: the node that made it, its accumulator if it is a
/// leaf that collects one, else null.
std::shared_ptr<Node> gradient_edge(const TensorPtr& a);

/// Adds `gradient` to what the tensor collects.
void accumulate(Tensor& to, const TensorPtr& gradient);

/// The hooks where the gradient of `a` arrives, made if there are none; StateError for
/// a tensor without a gradient.
std::shared_ptr<Hooks> hooks_of(const TensorPtr& a, const char* where);

/// Keeps the gradient of a tensor that an op made in its `grad`; a leaf's is kept
/// anyway.
void retain_grad(const TensorPtr& a);

/// An array as it was at the forward step. Throws StateError where an in-place op has
/// changed the memory since.
class SavedArray {
 public:
  SavedArray() = default;
  SavedArray(array::Array value)
      : value_(std::move(value)),
        version_(value_.defined() ? value_.storage()->version() : 0) {}
  const array::Array& value() const {
    if (value_.defined() && value_.storage()->version() != version_) refuse();
    return value_;
  }

 private:
  [[noreturn]] void refuse() const;
  array::Array value_;
  uint64_t version_ = 0;
};

/// An input as it was at the forward step, without keeping alive more than needed.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const TensorPtr& a);
  /// The tensor with its place in the graph, as it was.
  TensorPtr tensor() const;
  const array::Array& value() const { return array_.value(); }

 private:
  SavedArray array_;
  std::shared_ptr<Node> edge_;
  const Backend* backend_ = nullptr;
  Dialect dialect_ = Dialect::None;
};

/// Says which node this thread goes back through, for errors.
class Visit {
 public:
  explicit Visit(const Node& node);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  const Node* previous_;
};

/// Is the graph being recorded on this thread?
bool grad_enabled();
/// Switches it on this thread; returns what it was.
bool set_grad_enabled(bool enabled);

/// Switches recording on this thread for a scope.
class GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool previous_;
};

/// Does an op on `a` need its gradient? Views follow in-place changes of their base.
bool requires_gradient(const TensorPtr& a);
/// Did the user make it, rather than an op?
bool is_leaf(const TensorPtr& a);

/// Would an op on these be recorded?
bool records(const std::vector<TensorPtr>& inputs);

/// Gives the output of an op the backend of the first input that has one, and the
/// dialect of its inputs; TypeError where they have two.
void inherit(Tensor& output, const std::vector<TensorPtr>& inputs);

/// The output of an op, with `node` as its history.
TensorPtr attach(array::Array output, const std::vector<TensorPtr>& inputs,
                 std::shared_ptr<Node> node);

/// How a built-in op goes back; `output` is the op's result, rebuilt with its place in
/// the graph.
using Backward = std::function<Gradients(const TensorPtr& gradient, Node& node)>;

/// The output of a built-in op, recorded only if an input needs a gradient. `make` is
/// called then and returns the Backward, so nothing is saved otherwise.
TensorPtr record_node(const char* name, array::Array output,
                      const std::vector<TensorPtr>& inputs, Backward backward);

/// The output of an op that is not recorded.
TensorPtr without_node(array::Array output, const std::vector<TensorPtr>& inputs);

template <class Make>
TensorPtr record(const char* name, array::Array output,
                 const std::vector<TensorPtr>& inputs, Make&& make) {
  if (!records(inputs)) return without_node(std::move(output), inputs);
  return record_node(name, std::move(output), inputs, make());
}

/// `output` as the tensor that `node` made: for ops whose gradient uses their own
/// output, which they save as a SavedArray (a saved tensor would own its own node).
TensorPtr output_of(Node& node, const SavedArray& output);

}  // namespace minitorch::autograd

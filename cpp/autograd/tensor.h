// What a tensor is: numbers plus history.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "array/array.h"

namespace minitorch::autograd {

class Node;
struct Hooks;
struct Backend;  // whose operations are called for a tensor; opaque to autograd
struct Tensor;
using TensorPtr = std::shared_ptr<Tensor>;

/// What tells a tensor from others where people look at graphs.
struct Identity {
  int64_t unique_id;
  std::string name;
};

/// Whose meaning a tensor's methods have. Results of ops inherit it; what the library
/// makes for itself has none, and takes part in either.
enum class Dialect : uint8_t { None, MiniTorch, Torch };

/// An array with its place in a graph. A tensor that an op made has the `node` that
/// made it; one that the user made is a leaf and may collect a gradient. `assign` of a
/// new value leaves graphs that saved the old one right; an in-place change (inplace.h)
/// is told from it by the version of the storage.
struct Tensor {
  explicit Tensor(array::Array value, bool requires_grad = false)
      : value(std::move(value)), requires_grad(requires_grad) {}
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  array::Array value;
  bool requires_grad = false;
  bool untracked_view = false;  // of a tensor with history, made while not recording
  Dialect dialect = Dialect::None;
  uint32_t history = 0;  // recorded in-place changes; of a view, those it has followed
  std::shared_ptr<Node> node;                    // null for a leaf
  std::atomic<std::weak_ptr<Node>> accumulator;  // of a leaf: where gradients arrive
  std::shared_ptr<Hooks> hooks;                  // of a leaf
  TensorPtr base;                      // of a view: the tensor whose memory it shows
  TensorPtr grad;                      // of a leaf, or where retain_grad() asked for it
  const Backend* backend = nullptr;    // results of ops carry it on; null: our own
  std::unique_ptr<Identity> identity;  // made when somebody asks

  bool is_leaf() const { return node == nullptr; }
};

/// A tensor without history.
TensorPtr make_tensor(array::Array value, bool requires_grad = false);

/// The numbers of an input that may be left out; then null.
inline const array::Array* array_of(const TensorPtr& a) {
  return a ? &a->value : nullptr;
}

/// The same numbers (shared) without history.
TensorPtr detach(const TensorPtr& a);

/// Marks or unmarks a leaf; TypeError unless its dtype is floating, StateError for a
/// tensor that an op made.
void set_requires_grad(const TensorPtr& a, bool requires_grad);

/// Gives `a` the numbers of `value`, whose shape and dtype must be the same.
void assign(const TensorPtr& a, const array::Array& value);

/// Gives a leaf the memory of `value`, of whatever shape, dtype and device; graphs keep
/// the old one. StateError for a tensor that an op made, TypeError for numbers that can
/// have no gradient where one is asked for.
void set_data(const TensorPtr& a, const array::Array& value);

}  // namespace minitorch::autograd

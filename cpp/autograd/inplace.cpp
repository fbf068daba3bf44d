#include "autograd/inplace.h"

#include "autograd/dialect.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/region.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using base::text;
using base::tuple_text;

void require_memory(const Tensor& target, const char* where) {
  const Array& value = target.value;
  if (value.storage()->read_only()) {
    throw base::ValueError(where,
                           "got a tensor on read-only memory that it shares with "
                           "another library; need memory of its own. Try .clone().");
  }
  if (value.may_overlap_itself()) {
    throw base::ValueError(
        where, text("got shape ", tuple_text(value.shape()), " with strides ",
                    tuple_text(value.strides()),
                    "; need each element in memory of its own. Try .clone()."));
  }
}

/// Is the change recorded? Then histories must be able to follow it.
bool recorded_change(const TensorPtr& target, const TensorPtr& value,
                     const char* where) {
  if (!grad_enabled()) return false;
  if (target->untracked_view) {
    throw base::StateError(
        where,
        "this view was made under no_grad(), of a tensor with history. Make the view "
        "outside no_grad(), or change it under no_grad() as well.");
  }
  if (!records({target, value})) return false;
  const Tensor& owner = target->base ? *target->base : *target;
  if (owner.requires_grad && owner.is_leaf()) {
    throw base::StateError(
        where, text("a ", target->base ? "view of a leaf" : "leaf",
                    " that requires a gradient cannot be changed in place. Change it "
                    "under no_grad(), or change a .clone()."));
  }
  if (owner.value.may_overlap_itself()) {
    throw base::ValueError(where,
                           text("the tensor that this is a view of has strides ",
                                tuple_text(owner.value.strides()),
                                ": its elements share memory. Try a .clone() of it."));
  }
  return true;
}

/// Zeros as a gradient like `g`, in the memory of one.
TensorPtr no_gradient(const TensorPtr& g) {
  const Array zero =
      ops::full(array::Shape{}, Number{0}, g->value.dtype(), g->value.device());
  return make_tensor(zero.expand(g->value.shape()));
}

void write(const Tensor& target, const Array& value) {
  const bool shared = value.storage() == target.value.storage();
  ops::copy_into(shared ? ops::copy(value) : value, target.value);
  target.value.storage()->mark_changed();
}

/// After a recorded write: `target` has the history of `result`, and so has its region
/// of the base.
void rebase(const TensorPtr& target, const TensorPtr& result) {
  if (!target->base) {
    target->node = gradient_edge(result);
    target->requires_grad = target->node != nullptr;
    ++target->history;
    return;
  }
  Tensor& owner = *target->base;
  const Region region(owner.value, target->value);
  const TensorPtr changed = record("write", owner.value, {target->base, result}, [&] {
    return [region](const TensorPtr& g, Node& node) {
      const auto& to = node.inputs();
      return Gradients{to[0] ? clear(g, region) : nullptr,
                       to[1] ? take(g, region) : nullptr};
    };
  });
  owner.node = changed->node;
  owner.requires_grad = changed->requires_grad;
  ++owner.history;
  follow_base(target);
}

/// `value` as `target` takes it.
TensorPtr fitted(const TensorPtr& target, const TensorPtr& value, const char* where) {
  const Array& to = target->value;
  if (value->value.device() != to.device()) {
    throw ops::DeviceError(
        where, text("got a value on ", device_name(value->value.device()),
                    " for a tensor on ", device_name(to.device()),
                    "; need one device. Try .to(\"", device_name(to.device()), "\")."));
  }
  const TensorPtr converted = cast(value, to.dtype());
  if (converted->value.shape() == to.shape()) return converted;
  broadcasting(target->dialect, [&] {  // names the op where it does not fit
    return value->value.expand(to.shape(), where);
  });
  return expand(converted, to.shape());
}

bool same_view(const Array& a, const Array& b) {
  return a.storage() == b.storage() && a.dtype() == b.dtype() &&
         a.offset() == b.offset() && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

/// A copy of `a` with its place in the graph, for ops that save what they change.
TensorPtr kept(const TensorPtr& a) {
  auto copy = make_tensor(ops::copy(a->value), a->requires_grad);
  copy->node = gradient_edge(a);
  copy->dialect = a->dialect;
  return copy;
}

/// `a`, whose memory has new elements.
const TensorPtr& changed(const TensorPtr& a) {
  a->value.storage()->mark_changed();
  return a;
}

void require_fit(const Array& target, const Array& result, const char* where) {
  if (result.shape() != target.shape()) {
    throw array::BroadcastError(
        where, text("the result has shape ", tuple_text(result.shape()),
                    ", the tensor to change has ", tuple_text(target.shape()), "."));
  }
  const bool to_float = is_floating(target.dtype());
  const bool narrows =
      target.dtype() == array::Dtype::Bool && result.dtype() != array::Dtype::Bool;
  if ((is_floating(result.dtype()) && !to_float) || narrows) {
    throw base::TypeError(
        where,
        text("the result is ", dtype_name(result.dtype()), ", which a tensor of ",
             dtype_name(target.dtype()), " cannot hold. Try .to(\"",
             dtype_name(result.dtype()), "\") first."));
  }
}

}  // namespace

void take_over(const TensorPtr& target, const TensorPtr& result, const char* where) {
  require_memory(*target, where);
  require_one_dialect(where, target, result);
  broadcasting(target->dialect,
               [&] { require_fit(target->value, result->value, where); });
  const bool recorded = recorded_change(target, result, where);
  const TensorPtr converted = cast(result, target->value.dtype());
  write(*target, converted->value);
  if (recorded) rebase(target, converted);
}

void assign_view(const TensorPtr& target, const TensorPtr& value, const char* where) {
  const runtime::OpScope scope(where, {&target->value, &value->value});
  require_memory(*target, where);
  require_one_dialect(where, target, value);
  const TensorPtr fit = fitted(target, value, where);
  if (same_view(fit->value, target->value)) return;
  const bool recorded = recorded_change(target, fit, where);
  write(*target, fit->value);
  if (!recorded) return;
  // The old elements no longer count: their gradient is 0.
  rebase(target, record(where, target->value, {target, fit}, [&] {
           return [](const TensorPtr& g, Node& node) {
             const auto& to = node.inputs();
             return Gradients{to[0] ? no_gradient(g) : nullptr, to[1] ? g : nullptr};
           };
         }));
}

bool has_memory_alone(const Tensor& a) {
  return !a.base && a.value.storage().use_count() == 1;
}

void become(const TensorPtr& target, const TensorPtr& result, const char* where) {
  require_memory(*target, where);
  require_one_dialect(where, target, result);
  const Array &from = result->value, &to = target->value;
  const bool keeps_shape = target->requires_grad || target->base;
  if ((keeps_shape && from.shape() != to.shape()) || from.dtype() != to.dtype() ||
      from.device() != to.device()) {
    throw base::ValueError(where,
                           text("got a result of shape ", tuple_text(from.shape()),
                                "; need shape, dtype and device of the tensor."));
  }
  const bool recorded = recorded_change(target, result, where);
  target->value = from;
  if (recorded) rebase(target, result);
}

TensorPtr binary_in_place(cpu::Binary op, const TensorPtr& a, const TensorPtr& b,
                          const char* where) {
  const runtime::OpScope scope(where, {&a->value, &b->value});
  require_memory(*a, where);
  require_one_dialect(where, a, b);
  const bool saves = op != cpu::Binary::Add && op != cpu::Binary::Sub;
  const bool recorded = recorded_change(a, b, where);
  if (!recorded && ops::binary_in_place(op, a->value, b->value)) return changed(a);
  const bool copy = recorded && saves;
  const TensorPtr left = copy ? kept(a) : a;
  const TensorPtr right =
      copy && b->value.storage() == a->value.storage() ? kept(b) : b;
  take_over(a, binary(op, left, right), where);
  return a;
}

TensorPtr binary_in_place(cpu::Binary op, const TensorPtr& a, Number b,
                          const char* where) {
  const runtime::OpScope scope(where, {&a->value});
  require_memory(*a, where);
  ops::dtype_beside(a->value.dtype(), b, where);  // names the op where it does not fit
  const bool saves = op != cpu::Binary::Add && op != cpu::Binary::Sub;
  const bool recorded = recorded_change(a, a, where);
  if (!recorded && ops::binary_in_place(op, a->value, b)) return changed(a);
  const bool copy = recorded && saves;
  take_over(a, binary(op, copy ? kept(a) : a, b), where);
  return a;
}

void look_as(const TensorPtr& a, const TensorPtr& view) {
  if (view->value.storage() != a->value.storage() ||
      view->value.dtype() != a->value.dtype()) {
    throw base::StateError("look_as", "got other memory; need a view of the tensor.");
  }
  if (a->requires_grad) {
    throw base::StateError("look_as",
                           "got a tensor that requires a gradient; need one without.");
  }
  a->value = view->value;
}

TensorPtr fill_in_place(const TensorPtr& a, Number value, const char* where) {
  const runtime::OpScope scope(where, {&a->value});
  require_memory(*a, where);
  const array::Dtype dtype = ops::dtype_beside(a->value.dtype(), value, where);
  if (dtype == a->value.dtype() && !recorded_change(a, a, where)) {
    ops::fill(a->value, value);
    return changed(a);
  }
  const Array number = ops::full(array::Shape{}, value, dtype, a->value.device());
  assign_view(a, make_tensor(number), where);
  return a;
}

}  // namespace minitorch::autograd

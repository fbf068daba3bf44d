// Owns the comparisons of tensors.
#include "autograd/compare.h"

#include "autograd/binary.h"
#include "autograd/node.h"
#include "ops/compare.h"
#include "ops/create.h"
#include "ops/layout.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using array::Dtype;
using cpu::Compare;

/// A number beside integers that cannot hold it is compared in float64.
TensorPtr beside(const TensorPtr& a, Number b) {
  return make_tensor(ops::beside(a->value, b, nullptr));
}

TensorPtr zeros(const TensorPtr& g) {
  return make_tensor(
      ops::full(array::Shape{}, Number{0}, g->value.dtype(), g->value.device())
          .expand(g->value.shape()));
}

}  // namespace

TensorPtr compare(Compare op, const TensorPtr& a, const TensorPtr& b) {
  return make_tensor(ops::compare(op, a->value, b->value));
}

TensorPtr compare(Compare op, const TensorPtr& a, Number b) {
  return compare(op, a, beside(a, b));
}

TensorPtr order(Compare op, const TensorPtr& a, const TensorPtr& b) {
  const Dtype both = promote(a->value.dtype(), b->value.dtype());
  const Dtype dtype = is_floating(both) ? both : Dtype::Float64;
  const Array out = ops::cast(ops::compare(op, a->value, b->value), dtype);
  return record("compare", out, {a, b}, [&] {
    return [left = requires_gradient(a), right = requires_gradient(b)](
               const TensorPtr& g, Node&) {
      return Gradients{left ? zeros(g) : nullptr, right ? zeros(g) : nullptr};
    };
  });
}

TensorPtr order(Compare op, const TensorPtr& a, Number b) {
  return order(op, a, beside(a, b));
}

}  // namespace minitorch::autograd

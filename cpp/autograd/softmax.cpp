// Owns softmax, its logarithm and the losses on class labels, and their gradients.
#include "autograd/softmax.h"

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "autograd/reduce.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/softmax.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {

using cpu::Softmax;

namespace {

Gradients fused_gradient(Softmax kind, const TensorPtr& g, const array::Array& y,
                         int64_t dim) {
  return {make_tensor(ops::softmax_grad(kind, g->value, y, dim))};
}

TensorPtr loss(const TensorPtr& log_probabilities, const TensorPtr& labels,
               const char* where) {
  const array::Array& p = log_probabilities->value;
  if (p.dims() != 2 || labels->value.shape() != array::Shape{p.shape()[0]} ||
      p.size() == 0) {
    throw base::ValueError(
        where,
        base::text("got scores of shape ", base::tuple_text(p.shape()),
                   " and labels of shape ", base::tuple_text(labels->value.shape()),
                   "; need (n, classes) and (n,)."));
  }
  const auto count = static_cast<double>(p.shape()[0]);
  const TensorPtr hit =
      make_tensor(ops::one_hot(labels->value, p.shape()[1], p.dtype(), where));
  return div(sum(mul(log_probabilities, hit), std::nullopt), Number{-count});
}

}  // namespace

TensorPtr softmax(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("softmax", {&a->value});
  array::Array y = ops::softmax(Softmax::Plain, a->value, dim);
  return record("softmax", y, {a}, [&] {
    return [y = SavedArray(y), dim](const TensorPtr& g, Node& node) {
      if (!grad_enabled()) return fused_gradient(Softmax::Plain, g, y.value(), dim);
      const TensorPtr share = output_of(node, y);
      return Gradients{mul(share, sub(g, sum(mul(g, share), dim)))};
    };
  });
}

TensorPtr log_softmax(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("log_softmax", {&a->value});
  array::Array y = ops::softmax(Softmax::Logarithm, a->value, dim);
  return record("log_softmax", y, {a}, [&] {
    return [y = SavedArray(y), dim](const TensorPtr& g, Node& node) {
      if (!grad_enabled()) return fused_gradient(Softmax::Logarithm, g, y.value(), dim);
      const TensorPtr share = exp(output_of(node, y));
      return Gradients{sub(g, mul(share, sum(g, dim)))};
    };
  });
}

TensorPtr nll_loss(const TensorPtr& log_probabilities, const TensorPtr& labels) {
  const runtime::OpScope scope("nll_loss", {&log_probabilities->value, &labels->value});
  return loss(log_probabilities, labels, "nll_loss");
}

TensorPtr cross_entropy(const TensorPtr& logits, const TensorPtr& labels) {
  const runtime::OpScope scope("cross_entropy", {&logits->value, &labels->value});
  const int64_t dim = static_cast<int64_t>(logits->value.dims()) - 1;
  if (dim < 0) return loss(logits, labels, "cross_entropy");
  return loss(log_softmax(logits, dim), labels, "cross_entropy");
}

}  // namespace minitorch::autograd

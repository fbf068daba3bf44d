#include "autograd/softmax.h"

#include <limits>

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/reduce.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/check.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "ops/softmax.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {

using cpu::Softmax;

namespace {

Gradients fused_gradient(Softmax kind, const TensorPtr& g, const array::Array& y,
                         int64_t dim) {
  return {make_tensor(ops::softmax_grad(kind, g->value, y, dim))};
}

void require_classes(const array::Array& p, const array::Array& labels,
                     const char* where) {
  if (p.dims() == 2 && labels.shape() == array::Shape{p.shape()[0]} && p.size() > 0)
    return;
  throw base::ValueError(
      where, base::text("got scores of shape ", base::tuple_text(p.shape()),
                        " and labels of shape ", base::tuple_text(labels.shape()),
                        "; need (n, classes) and (n,)."));
}

/// Of a tensor () as of one (1,).
template <class Op>
TensorPtr of_number(const TensorPtr& a, int64_t dim, Op op) {
  return reshape(op(reshape(a, array::Shape{1}), dim), array::Shape{});
}

/// `y` with the way back of a softmax along `dim`: what is 0 there stays without a
/// gradient.
TensorPtr recorded_shares(const char* name, const array::Array& y, const TensorPtr& a,
                          int64_t dim) {
  return record(name, y, {a}, [&] {
    return [y = SavedArray(y), dim](const TensorPtr& g, Node& node) {
      if (!grad_enabled()) return fused_gradient(Softmax::Plain, g, y.value(), dim);
      const TensorPtr share = output_of(node, y);
      return Gradients{mul(share, sub(g, sum(mul(g, share), dim)))};
    };
  });
}

}  // namespace

TensorPtr softmax(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("softmax", {&a->value});
  if (a->value.dims() == 0) return of_number(a, dim, softmax);
  return recorded_shares("softmax", ops::softmax(Softmax::Plain, a->value, dim), a,
                         dim);
}

TensorPtr causal_softmax(const TensorPtr& a) {
  const runtime::OpScope scope("causal_softmax", {&a->value});
  const array::Array y = ops::causal_softmax(a->value);
  return recorded_shares("causal_softmax", y, a,
                         static_cast<int64_t>(a->value.dims()) - 1);
}

TensorPtr log_softmax(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("log_softmax", {&a->value});
  if (a->value.dims() == 0) return of_number(a, dim, log_softmax);
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
  const array::Array& p = log_probabilities->value;
  require_classes(p, labels->value, "nll_loss");
  const auto count = static_cast<double>(p.shape()[0]);
  const TensorPtr hit =
      make_tensor(ops::one_hot(labels->value, p.shape()[1], p.dtype(), "nll_loss"));
  return div(sum(mul(log_probabilities, hit), std::nullopt), Number{-count});
}

namespace {

/// dx = g * (softmax * t - target), t being the sum of the target of a sample: from
/// tensors alone, so that it has a gradient itself.
TensorPtr recorded_gradient(const TensorPtr& g, const TensorPtr& x,
                            const ops::ClassTargets& how, const array::Array& total) {
  const size_t d = x->value.dims() > 1 ? 1 : 0;
  const auto dim = static_cast<int64_t>(d);
  const int64_t classes = x->value.shape()[d];
  array::Shape along(x->value.dims(), 1);
  along[d] = classes;
  const array::Dtype dtype = x->value.dtype();
  const TensorPtr labels = make_tensor(how.labels.unsqueeze(dim));
  const TensorPtr numbers = make_tensor(ops::reshape(
      ops::arange(0, 1, classes, array::Dtype::Int64, x->value.device()), along));
  const TensorPtr hit = cast(compare(cpu::Compare::Equal, labels, numbers), dtype);
  const TensorPtr counts =
      cast(compare(cpu::Compare::NotEqual, labels, Number{how.ignored}), dtype);
  TensorPtr target = mul(add(mul(hit, Number{1 - how.smoothing}),
                             Number{how.smoothing / static_cast<double>(classes)}),
                         counts);
  if (how.weight.defined())
    target = mul(target, make_tensor(ops::reshape(how.weight, along)));
  TensorPtr arrived = g;
  if (how.reduction == ops::Reduction::None) arrived = unsqueeze(g, dim);
  if (how.reduction == ops::Reduction::Mean)
    arrived = div(g, make_tensor(ops::reshape(ops::cast(total, dtype), {})));
  const TensorPtr rest = sub(mul(softmax(x, dim), sum(target, dim)), target);
  return mul(arrived, rest);
}

}  // namespace

TensorPtr cross_entropy(const TensorPtr& scores, const LabelLoss& how) {
  const runtime::OpScope scope("cross_entropy", {&scores->value, &how.labels->value});
  const char* const where = "cross_entropy";
  ops::require_one_device(where, scores->value, how.labels->value);
  if (how.weight) ops::require_one_device(where, scores->value, how.weight->value);
  const ops::ClassTargets targets{how.labels->value,
                                  how.weight ? how.weight->value : array::Array(),
                                  how.ignored, how.smoothing, how.reduction};
  const ops::CrossEntropy found = ops::cross_entropy(scores->value, targets, where);
  return record(where, found.loss, {scores, how.labels, how.weight}, [&] {
    return [x = Saved(scores), targets, found, labels = SavedArray(targets.labels),
            weight = SavedArray(targets.weight)](const TensorPtr& g, Node&) {
      labels.value();  // refuse what was changed since
      weight.value();
      const TensorPtr dx = grad_enabled()
                               ? recorded_gradient(g, x.tensor(), targets, found.total)
                               : make_tensor(ops::cross_entropy_grad(
                                     g->value, x.value(), targets, found));
      return Gradients{dx, nullptr, nullptr};
    };
  });
}

TensorPtr cross_entropy(const TensorPtr& logits, const TensorPtr& labels) {
  const runtime::OpScope scope("cross_entropy", {&logits->value, &labels->value});
  require_classes(logits->value, labels->value, "cross_entropy");
  // No number of a class is ignored.
  constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  const TensorPtr known = make_tensor(ops::checked_numbers(
      ops::Numbers::Label, labels->value, logits->value.shape()[1], "cross_entropy"));
  const TensorPtr scores = array::is_floating(logits->value.dtype())
                               ? logits
                               : cast(logits, array::Dtype::Float64);
  return reshape(
      cross_entropy(scores, {known, nullptr, kNone, 0.0, ops::Reduction::Mean}),
      array::Shape{1});
}

}  // namespace minitorch::autograd

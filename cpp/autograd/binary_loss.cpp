#include "autograd/binary_loss.h"

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Dtype;

constexpr double kLeastLog = -100, kLeastVariance = 1e-12;

/// 16-bit floats as float32: 1e-12 is none of theirs, and only the result is rounded.
TensorPtr widened(const TensorPtr& a) {
  return is_half(a->value.dtype()) ? cast(a, Dtype::Float32) : a;
}

/// The loss in the dtype that `a` and `b` have together.
array::Array narrowed(const TensorPtr& loss, const TensorPtr& a, const TensorPtr& b) {
  const Dtype dtype = array::promote(a->value.dtype(), b->value.dtype());
  return is_half(dtype) ? ops::cast(loss->value, dtype) : loss->value;
}

TensorPtr complement(const TensorPtr& a) { return sub(Number{1}, a); }

/// log(1 + exp(-x)) is their sum: what is left of it far from 0, and what is not small.
TensorPtr small_part(const TensorPtr& x) { return log1p(exp(neg(abs(x)))); }
TensorPtr large_part(const TensorPtr& x) { return maximum(neg(x), Number{0}); }
TensorPtr log_of_no(const TensorPtr& x) { return add(small_part(x), large_part(x)); }

Gradients gradients_of_probabilities(const TensorPtr& g, const TensorPtr& p,
                                     const TensorPtr& t, bool needs_p, bool needs_t) {
  Gradients out(2);
  if (needs_p) {
    const TensorPtr variance = maximum(mul(complement(p), p), Number{kLeastVariance});
    out[0] = div(mul(g, sub(p, t)), variance);
  }
  if (needs_t) out[1] = mul(g, sub(log1p(neg(p)), log(p)));
  return out;
}

/// `w` may be null.
Gradients gradients_of_logits(const TensorPtr& g, const TensorPtr& x,
                              const TensorPtr& t, const TensorPtr& w, bool needs_t,
                              bool needs_w) {
  Gradients out(w ? 3 : 2);
  const TensorPtr yes = w ? mul(t, w) : t;
  out[0] = mul(g, sub(mul(complement(t), sigmoid(x)), mul(yes, sigmoid(neg(x)))));
  if (needs_t) {
    const TensorPtr slope = w ? mul(sub(w, Number{1}), log_of_no(x)) : nullptr;
    out[1] = mul(g, slope ? sub(slope, x) : neg(x));
  }
  if (needs_w) out[2] = mul(g, mul(t, log_of_no(x)));
  return out;
}

}  // namespace

TensorPtr binary_cross_entropy(const TensorPtr& p, const TensorPtr& t) {
  const runtime::OpScope scope("binary_cross_entropy", {&p->value, &t->value});
  const TensorPtr a = widened(detach(p)), b = widened(detach(t));
  const TensorPtr yes = maximum(log(a), Number{kLeastLog});
  const TensorPtr no = maximum(log1p(neg(a)), Number{kLeastLog});
  const TensorPtr loss = sub(mul(sub(b, Number{1}), no), mul(b, yes));
  return record("binary_cross_entropy", narrowed(loss, p, t), {p, t}, [&] {
    return [x = Saved(p), y = Saved(t), needs_p = requires_gradient(p),
            needs_t = requires_gradient(t)](const TensorPtr& g, Node&) {
      return gradients_of_probabilities(widened(g), widened(x.tensor()),
                                        widened(y.tensor()), needs_p, needs_t);
    };
  });
}

TensorPtr binary_cross_entropy_with_logits(const TensorPtr& x, const TensorPtr& t,
                                           const TensorPtr& w) {
  const runtime::OpScope scope("binary_cross_entropy_with_logits",
                               {&x->value, &t->value});
  const TensorPtr a = widened(detach(x)), b = widened(detach(t));
  TensorPtr large = large_part(a), small = small_part(a);
  if (w) {
    const TensorPtr more = sub(widened(detach(w)), Number{1});
    const TensorPtr factor = add(mul(more, b), Number{1});
    large = mul(factor, large);
    small = mul(factor, small);
  }
  // The small part last: the others cancel where the loss is small.
  const TensorPtr loss = add(add(mul(complement(b), a), large), small);
  std::vector<TensorPtr> inputs{x, t};
  if (w) inputs.push_back(w);
  return record("binary_cross_entropy_with_logits", narrowed(loss, x, t), inputs, [&] {
    return [at = Saved(x), y = Saved(t), weight = w ? Saved(w) : Saved(),
            weighs = w != nullptr, needs_t = requires_gradient(t),
            needs_w = w && requires_gradient(w)](const TensorPtr& g, Node&) {
      return gradients_of_logits(widened(g), widened(at.tensor()), widened(y.tensor()),
                                 weighs ? widened(weight.tensor()) : nullptr, needs_t,
                                 needs_w);
    };
  });
}

}  // namespace minitorch::autograd

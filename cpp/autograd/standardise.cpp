#include "autograd/standardise.h"

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using cpu::Groups;

/// (outer, groups, inner) -> (1, groups, 1)
TensorPtr group_mean(const TensorPtr& a, const Groups& s) {
  const auto cells = static_cast<double>(s.outer * s.inner);
  return div(sum_to(a, array::Shape{1, s.groups, 1}), Number{cells});
}

/// x of (outer, groups, inner) standardised, made of tensors alone.
struct Parts {
  TensorPtr y, scale;  // scale (1, groups, 1)
};

Parts parts_of(const TensorPtr& cells, const Groups& s, double epsilon) {
  const TensorPtr off = sub(cells, group_mean(cells, s));
  const TensorPtr spread = add(group_mean(mul(off, off), s), Number{epsilon});
  const TensorPtr scale = div(Number{1.0}, sqrt(spread));
  return {mul(off, scale), scale};
}

/// The gradient of the cells from that of what they were standardised to.
TensorPtr gradient_of_cells(const TensorPtr& g, const Parts& parts, const Groups& s) {
  const TensorPtr along = mul(parts.y, group_mean(mul(g, parts.y), s));
  const TensorPtr rest = sub(sub(g, group_mean(g, s)), along);
  return mul(parts.scale, rest);
}

/// The shape of weight and bias beside x of (outer, groups, inner).
array::Shape beside_groups(const Groups& s, bool of_cells) {
  return of_cells ? array::Shape{1, 1, s.inner} : array::Shape{1, s.groups, 1};
}

/// What a node of a layer saves, and which gradients it is asked for.
struct Layered {
  Layer layer;
  Saved x;
  Saved weight = {};
  array::Shape parameter = {};  // of weight and bias
  bool of_cells = false, has_weight = false;
  bool needs_x = false, needs_weight = false, needs_bias = false;
};

bool needed(const TensorPtr& a) { return a && requires_gradient(a); }

Layered saved(const TensorPtr& x, const Layer& layer, const Learned& learned) {
  Layered out{layer, Saved(x)};
  for (const TensorPtr& each : {learned.weight, learned.bias})
    if (each) out.parameter = each->value.shape();
  if (learned.weight) out.weight = Saved(learned.weight);
  out.of_cells = learned.of_cells;
  out.has_weight = learned.weight != nullptr;
  out.needs_x = needed(x);
  out.needs_weight = needed(learned.weight);
  out.needs_bias = needed(learned.bias);
  return out;
}

/// The gradients from tensors alone, so that they have gradients themselves.
Gradients recorded_gradients(const TensorPtr& g, const Layered& a) {
  const Groups& s = a.layer.groups;
  const array::Shape grouped{s.outer, s.groups, s.inner};
  const array::Shape beside = beside_groups(s, a.of_cells);
  const TensorPtr x = a.x.tensor(), arrived = reshape(g, grouped);
  const Parts parts = parts_of(reshape(x, grouped), s, a.layer.epsilon);
  Gradients out(3);
  if (a.needs_x) {
    const TensorPtr weighted =
        a.has_weight ? mul(arrived, reshape(a.weight.tensor(), beside)) : arrived;
    const TensorPtr dx = gradient_of_cells(weighted, parts, s);
    out[0] = reshape(dx, x->value.shape());
  }
  if (a.needs_weight)
    out[1] = reshape(sum_to(mul(arrived, parts.y), beside), a.parameter);
  if (a.needs_bias) out[2] = reshape(sum_to(arrived, beside), a.parameter);
  return out;
}

Gradients fused_gradients(const TensorPtr& g, const Layered& a, const Array& mean,
                          const Array& scale) {
  const ops::Affine affine{a.has_weight ? a.weight.value() : Array(), {}, a.of_cells};
  const ops::StandardisedGrads found =
      ops::standardise_grad(g->value, a.x.value(), mean, scale, a.layer, affine,
                            a.needs_weight || a.needs_bias);
  const auto parameter = [&](const Array& gradient, bool wanted) {
    return wanted ? make_tensor(ops::reshape(gradient, a.parameter)) : nullptr;
  };
  return {a.needs_x ? make_tensor(found.x) : nullptr,
          parameter(found.weight, a.needs_weight), parameter(found.bias, a.needs_bias)};
}

/// Can one kernel take x and the learned parts together? Each has the dtype of the
/// result then; otherwise operators promote.
bool together(const TensorPtr& x, const Learned& learned) {
  const array::Dtype dtype = ops::result_dtype(x->value.dtype());
  const auto fits = [&](const TensorPtr& a) { return !a || a->value.dtype() == dtype; };
  return fits(learned.weight) && fits(learned.bias);
}

/// y * weight + bias by operators; of groups, y is (outer, groups, …).
TensorPtr follow(const TensorPtr& y, const Learned& learned) {
  array::Shape along(y->value.dims(), 1);
  if (!learned.of_cells) along[1] = y->value.shape()[1];
  const auto part = [&](const TensorPtr& a) {
    return learned.of_cells ? a : reshape(a, along);
  };
  const TensorPtr scaled = learned.weight ? mul(y, part(learned.weight)) : y;
  return learned.bias ? add(scaled, part(learned.bias)) : scaled;
}

void require_one_place(const TensorPtr& x, const Learned& learned, const char* where) {
  for (const TensorPtr& each : {learned.weight, learned.bias})
    if (each) ops::require_one_device(where, x->value, each->value);
}

ops::Affine arrays_of(const Learned& learned) {
  const auto value = [](const TensorPtr& a) { return a ? a->value : Array(); };
  return {value(learned.weight), value(learned.bias), learned.of_cells};
}

}  // namespace

std::tuple<TensorPtr, TensorPtr, TensorPtr> standardise(const TensorPtr& x,
                                                        const Layer& layer,
                                                        const Learned& learned,
                                                        const ops::Running& running) {
  const runtime::OpScope scope(layer.where, {&x->value});
  require_one_place(x, learned, layer.where);
  for (const Array* each : {&running.mean, &running.variance})
    if (each->defined()) ops::require_one_device(layer.where, x->value, *each);
  if (!together(x, learned)) {
    const auto [y, mean, variance] = standardise(x, layer, {}, running);
    return {follow(y, learned), mean, variance};
  }
  const ops::Standardised found =
      ops::standardise(x->value, layer, arrays_of(learned), running);
  TensorPtr y = record("standardise", found.y, {x, learned.weight, learned.bias}, [&] {
    return [a = saved(x, layer, learned), mean = found.mean, scale = found.scale](
               const TensorPtr& g, Node&) {
      if (grad_enabled()) return recorded_gradients(g, a);
      return fused_gradients(g, a, mean, scale);
    };
  });
  return {std::move(y), make_tensor(found.mean), make_tensor(found.variance)};
}

namespace {

/// The gradients of x, weight and bias where mean and variance are constants.
Gradients known_gradients(const TensorPtr& g, const Layered& a, const TensorPtr& mean,
                          const TensorPtr& variance) {
  const TensorPtr x = a.x.tensor();
  array::Shape along(x->value.dims(), 1);
  along[1] = x->value.shape()[1];
  const TensorPtr scale = rsqrt(add(variance, Number{a.layer.epsilon}));
  Gradients out(3);
  if (a.needs_x) {
    const TensorPtr whole = a.has_weight ? mul(scale, a.weight.tensor()) : scale;
    out[0] = mul(g, reshape(whole, along));
  }
  if (a.needs_weight) {
    const TensorPtr y = mul(sub(x, reshape(mean, along)), reshape(scale, along));
    out[1] = reshape(sum_to(mul(g, y), along), a.parameter);
  }
  if (a.needs_bias) out[2] = reshape(sum_to(g, along), a.parameter);
  return out;
}

}  // namespace

TensorPtr normalise(const TensorPtr& x, const TensorPtr& mean,
                    const TensorPtr& variance, const Layer& layer,
                    const Learned& learned) {
  const runtime::OpScope scope(layer.where, {&x->value});
  require_one_place(x, {mean, variance}, layer.where);
  require_one_place(x, learned, layer.where);
  if (!together(x, learned) || !together(x, {mean, variance}) || needed(mean) ||
      needed(variance)) {
    const TensorPtr scale = rsqrt(add(variance, Number{layer.epsilon}));
    const TensorPtr off = follow(x, {nullptr, neg(mean)});
    return follow(follow(off, {scale}), learned);
  }
  const Array out =
      ops::normalise(x->value, mean->value, variance->value, layer, arrays_of(learned));
  return record("normalise", out, {x, learned.weight, learned.bias}, [&] {
    return [a = saved(x, layer, learned), middle = SavedArray(mean->value),
            spread = SavedArray(variance->value)](const TensorPtr& g, Node&) {
      return known_gradients(g, a, make_tensor(middle.value()),
                             make_tensor(spread.value()));
    };
  });
}

}  // namespace minitorch::autograd

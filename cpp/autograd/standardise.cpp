// Owns bringing groups of a tensor's cells to mean 0 and variance 1, with its gradient.
#include "autograd/standardise.h"

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/reduce.h"
#include "ops/standardise.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using cpu::Groups;

/// (outer, groups, inner) -> (1, groups, 1)
TensorPtr group_mean(const TensorPtr& a, const Groups& s) {
  const auto cells = static_cast<double>(s.outer * s.inner);
  return div(sum_to(a, array::Shape{1, s.groups, 1}), Number{cells});
}

/// The gradient of x from tensors alone, so that it has a gradient itself.
TensorPtr recorded_gradient(const TensorPtr& g, const TensorPtr& x, const Groups& s,
                            double epsilon) {
  const array::Shape grouped{s.outer, s.groups, s.inner};
  const TensorPtr gradient = reshape(g, grouped), cells = reshape(x, grouped);
  const TensorPtr off = sub(cells, group_mean(cells, s));
  const TensorPtr spread = add(group_mean(mul(off, off), s), Number{epsilon});
  const TensorPtr scale = div(Number{1.0}, sqrt(spread));
  const TensorPtr y = mul(off, scale);
  const TensorPtr along = mul(y, group_mean(mul(gradient, y), s));
  const TensorPtr rest = sub(sub(gradient, group_mean(gradient, s)), along);
  return reshape(mul(scale, rest), x->value.shape());
}

}  // namespace

std::tuple<TensorPtr, TensorPtr, TensorPtr> standardise(const TensorPtr& x,
                                                        const Groups& groups,
                                                        double epsilon,
                                                        const char* where) {
  const runtime::OpScope scope("standardise", {&x->value});
  const ops::Standardised found = ops::standardise(x->value, groups, epsilon, where);
  TensorPtr y = record("standardise", found.y, {x}, [&] {
    return [=, saved = Saved(x), mean = found.mean, scale = found.scale](
               const TensorPtr& g, Node&) {
      if (grad_enabled())
        return Gradients{recorded_gradient(g, saved.tensor(), groups, epsilon)};
      return Gradients{make_tensor(
          ops::standardise_grad(g->value, saved.value(), mean, scale, groups, where))};
    };
  });
  return {std::move(y), make_tensor(found.mean), make_tensor(found.variance)};
}

}  // namespace minitorch::autograd

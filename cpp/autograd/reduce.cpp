// Owns the reductions of tensors and their gradients.
#include "autograd/reduce.h"

#include "autograd/binary.h"
#include "autograd/compare.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "ops/reduce.h"

namespace minitorch::autograd {
namespace {

using cpu::Reduce;

TensorPtr sum_along(const TensorPtr& a, int64_t dim) {
  return record("sum", ops::reduce(Reduce::Sum, a->value, dim), {a}, [&] {
    return [shape = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{expand(g, shape)};
    };
  });
}

TensorPtr max_along(const TensorPtr& a, int64_t dim) {
  array::Array best = ops::reduce(Reduce::Max, a->value, dim);
  return record("max", best, {a}, [&] {
    return [x = Saved(a), best = SavedArray(best), dim](const TensorPtr& g, Node&) {
      const TensorPtr hit =
          order(cpu::Compare::Equal, detach(x.tensor()), make_tensor(best.value()));
      return Gradients{mul(hit, div(g, sum(hit, dim)))};
    };
  });
}

/// Runs `along` on one dimension, or on all elements in a row, and gives the result the
/// shape that was asked for.
template <class Along>
TensorPtr shaped(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim,
                 const char* where, Along along) {
  if (!dim) {
    const TensorPtr total = along(reshape(a, array::Shape{a->value.size()}), 0);
    return keepdim ? total : reshape(total, array::Shape{});
  }
  const TensorPtr out = along(a, *dim);
  if (keepdim) return out;
  return squeeze(
      out, static_cast<int64_t>(array::normalise_dim(*dim, a->value.dims(), where)));
}

}  // namespace

TensorPtr sum(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim) {
  return shaped(a, dim, keepdim, "sum", sum_along);
}

TensorPtr mean(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim) {
  const int64_t count =
      dim ? a->value.shape()[array::normalise_dim(*dim, a->value.dims(), "mean")]
          : a->value.size();
  return div(sum(a, dim, keepdim), Number{static_cast<double>(count)});
}

TensorPtr max(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim) {
  return shaped(a, dim, keepdim, "max", max_along);
}

TensorPtr sum_to(const TensorPtr& a, const array::Shape& shape) {
  if (a->value.shape() == shape) return a;
  return record("sum_to", ops::sum_to(a->value, shape), {a}, [&] {
    return [from = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{expand(g, from)};
    };
  });
}

}  // namespace minitorch::autograd

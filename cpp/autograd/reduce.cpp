#include "autograd/reduce.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "ops/transfer.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using array::Dtype;
using cpu::Compare;
using cpu::Reduce;

TensorPtr sum_along(const TensorPtr& a, int64_t dim) {
  return record("sum", ops::reduce(Reduce::Sum, a->value, dim), {a}, [&] {
    return [shape = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{expand(g, shape)};
    };
  });
}

/// Are these long rows with gaps between them? On the host their sums come first: all
/// elements in one row would be a copy of them.
bool lies_in_rows(const Array& a) {
  constexpr int64_t kLong = 64;
  return a.dims() > 1 && a.device() == array::Device::Cpu && !is_half(a.dtype()) &&
         a.size() > 0 && a.shape().back() >= kLong && a.strides().back() == 1 &&
         !a.is_contiguous();
}

/// The product of the other elements, also where one of them is 0.
TensorPtr products_of_others(const TensorPtr& x, int64_t dim) {
  const TensorPtr zero = order(Compare::Equal, detach(x), Number{0});
  const TensorPtr zeros = sum(zero, dim);
  if (grad_enabled() && ops::item(any(zero, std::nullopt)->value) != 0) {
    throw base::StateError("prod",
                           "got zeros among the factors with create_graph=True; need "
                           "factors other than 0 for gradients of gradients.");
  }
  const TensorPtr filled = add(x, zero);  // 1 in place of 0
  const TensorPtr rest = div(prod(filled, dim), filled);
  const TensorPtr none = order(Compare::Equal, zeros, Number{0});
  const TensorPtr alone = mul(order(Compare::Equal, zeros, Number{1}), zero);
  return mul(rest, add(none, alone));
}

TensorPtr prod_along(const TensorPtr& a, int64_t dim) {
  return record("prod", ops::reduce(Reduce::Prod, a->value, dim), {a}, [&] {
    return [x = Saved(a), dim](const TensorPtr& g, Node&) {
      return Gradients{mul(g, products_of_others(x.tensor(), dim))};
    };
  });
}

/// The axes as dimensions counted from the front, in rising order.
std::vector<size_t> sorted(const Axes& axes, size_t dims, const char* where) {
  std::vector<size_t> out;
  const size_t counted = std::max<size_t>(dims, 1);
  for (int64_t dim : axes.dims) {
    out.push_back(array::normalise_dim(dim, counted, where));
  }
  if (axes.dims.empty()) {
    for (size_t dim = 0; dim < dims; ++dim) out.push_back(dim);
  }
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    throw base::ValueError(where, base::text("got dims ", base::tuple_text(axes.dims),
                                             "; need each dimension once."));
  }
  return out;
}

/// Runs `along` on one dimension after another, or on all elements in a row, and gives
/// the result the shape that was asked for.
template <class Along>
TensorPtr shaped(const TensorPtr& a, const Axes& axes, bool keepdim, const char* where,
                 Along along) {
  if (axes.all) {
    const TensorPtr total = along(reshape(a, array::Shape{a->value.size()}), 0);
    return keepdim ? total : reshape(total, array::Shape{});
  }
  const auto dims = sorted(axes, a->value.dims(), where);
  if (a->value.dims() == 0) {
    return reshape(along(reshape(a, array::Shape{1}), 0), array::Shape{});
  }
  TensorPtr out = a;
  for (size_t i = dims.size(); i-- > 0;)
    out = along(out, static_cast<int64_t>(dims[i]));
  if (keepdim || dims.empty()) return out;
  array::Shape kept;
  for (size_t d = 0; d < a->value.dims(); ++d) {
    if (!std::binary_search(dims.begin(), dims.end(), d)) {
      kept.push_back(a->value.shape()[d]);
    }
  }
  return reshape(out, kept);
}

int64_t count_of(const TensorPtr& a, const Axes& axes, const char* where) {
  if (axes.all) return a->value.size();
  int64_t count = 1;
  const auto dims = sorted(axes, a->value.dims(), where);
  if (a->value.dims() == 0) return 1;
  for (size_t d : dims) count *= a->value.shape()[d];
  return count;
}

/// 16-bit floats in float32 from beginning to end, so that only the result is rounded.
template <class Op>
TensorPtr widened(const TensorPtr& a, Op op) {
  const Dtype dtype = a->value.dtype();
  if (is_half(dtype)) return cast(op(cast(a, Dtype::Float32)), dtype);
  return op(a);
}

/// The result of a reduction that kept its dimensions, without them if so asked.
TensorPtr dropped(const TensorPtr& kept, const Axes& axes, bool keepdim,
                  const char* where) {
  return shaped(kept, axes, keepdim, where,
                [](const TensorPtr& x, int64_t) { return x; });
}

TensorPtr zero_like(const TensorPtr& a) {
  return make_tensor(
      ops::full(array::Shape{}, Number{0}, a->value.dtype(), a->value.device()));
}

/// All equal ones over all the axes share the gradient; where there are NaN, these.
TensorPtr extreme(Reduce op, const TensorPtr& a, const Axes& axes, bool keepdim) {
  const char* name = op == Reduce::Max ? "max" : "min";
  const TensorPtr best =
      shaped(detach(a), axes, true, name, [op](const TensorPtr& x, int64_t dim) {
        return make_tensor(ops::reduce(op, x->value, dim));
      });
  const TensorPtr kept = record(name, best->value, {a}, [&] {
    return [axes, saved = Saved(a), best = SavedArray(best->value)](const TensorPtr& g,
                                                                    Node&) {
      const TensorPtr x = detach(saved.tensor());
      const TensorPtr hit = add(order(Compare::Equal, x, make_tensor(best.value())),
                                order(Compare::NotEqual, x, x));
      return Gradients{mul(hit, div(g, sum(hit, axes)))};
    };
  });
  return dropped(kept, axes, keepdim, name);
}

TensorPtr truth(Reduce op, const TensorPtr& a, const Axes& axes, bool keepdim,
                const char* where) {
  const TensorPtr bits = without_node(ops::cast(a->value, Dtype::Bool), {a});
  if (!axes.all && axes.dims.empty()) return bits;  // PyTorch's exception: of nothing
  return shaped(bits, axes, keepdim, where, [op](const TensorPtr& x, int64_t dim) {
    const size_t d = array::normalise_dim(dim, x->value.dims(), "any");
    if (x->value.shape()[d] > 0)
      return without_node(ops::reduce(op, x->value, dim), {x});
    // Of nothing any is false and all is true, as the sum and the product have it.
    const Reduce neutral = op == Reduce::Max ? Reduce::Sum : Reduce::Prod;
    return without_node(ops::cast(ops::reduce(neutral, x->value, dim), Dtype::Bool),
                        {x});
  });
}

}  // namespace

TensorPtr sum(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("sum", {&a->value});
  if (axes.all && lies_in_rows(a->value)) {
    const TensorPtr rows = sum_along(a, static_cast<int64_t>(a->value.dims()) - 1);
    return shaped(rows, axes, keepdim, "sum", sum_along);
  }
  return shaped(a, axes, keepdim, "sum", sum_along);
}

TensorPtr mean(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("mean", {&a->value});
  const auto count = static_cast<double>(count_of(a, axes, "mean"));
  return widened(
      a, [&](const TensorPtr& x) { return div(sum(x, axes, keepdim), Number{count}); });
}

TensorPtr max(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("max", {&a->value});
  return extreme(Reduce::Max, a, axes, keepdim);
}

TensorPtr min(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("min", {&a->value});
  return extreme(Reduce::Min, a, axes, keepdim);
}

TensorPtr prod(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("prod", {&a->value});
  return shaped(a, axes, keepdim, "prod", prod_along);
}

TensorPtr var(const TensorPtr& a, const Axes& axes, double correction, bool keepdim) {
  const runtime::OpScope scope("var", {&a->value});
  const auto count = static_cast<double>(count_of(a, axes, "var"));
  return widened(a, [&](const TensorPtr& x) {
    const TensorPtr distance = sub(x, mean(x, axes));
    const TensorPtr total = sum(mul(distance, distance), axes, keepdim);
    return div(total, Number{std::max(count - correction, 0.0)});
  });
}

TensorPtr std_deviation(const TensorPtr& a, const Axes& axes, double correction,
                        bool keepdim) {
  const runtime::OpScope scope("std", {&a->value});
  const auto count = static_cast<double>(count_of(a, axes, "std"));
  const Number freedom{std::max(count - correction, 0.0)};
  // Squares of distances under- and overflow in fewer bits where the root does not.
  const TensorPtr root = sqrt(var(cast(detach(a), Dtype::Float64), axes, correction));
  const Dtype dtype = is_floating(a->value.dtype()) ? a->value.dtype() : Dtype::Float64;
  const Array out = ops::cast(root->value, dtype);
  const TensorPtr kept = record("std", out, {a}, [&] {
    return [=, x = Saved(a), y = SavedArray(out)](const TensorPtr& g, Node& node) {
      const TensorPtr cells = cast(x.tensor(), Dtype::Float64);
      const TensorPtr spread =
          grad_enabled() ? cast(output_of(node, y), Dtype::Float64) : root;
      const TensorPtr flat = order(Compare::Equal, detach(spread), Number{0});
      // Where all are equal, the distances are 0 over 1.
      const TensorPtr share = div(g, mul(add(spread, flat), freedom));
      return Gradients{mul(sub(cells, mean(cells, axes)), share)};
    };
  });
  return dropped(kept, axes, keepdim, "std");
}

TensorPtr logsumexp(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("logsumexp", {&a->value});
  return widened(a, [&](const TensorPtr& x) {
    const TensorPtr real = is_floating(x->value.dtype()) ? x : cast(x, Dtype::Float64);
    if (count_of(x, axes, "logsumexp") == 0) {
      return log(sum(exp(real), axes, keepdim));  // there is no largest one
    }
    const TensorPtr largest = detach(max(detach(real), axes));
    // Without a finite maximum nothing is shifted: inf - inf is NaN.
    const TensorPtr finite = compare(Compare::Less, abs(largest), Number{HUGE_VAL});
    const TensorPtr shift = where(finite, largest, zero_like(largest));
    const TensorPtr out = add(log(sum(exp(sub(real, shift)), axes)), shift);
    return dropped(out, axes, keepdim, "logsumexp");
  });
}

TensorPtr any(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("any", {&a->value});
  return truth(Reduce::Max, a, axes, keepdim, "any");
}

TensorPtr all(const TensorPtr& a, const Axes& axes, bool keepdim) {
  const runtime::OpScope scope("all", {&a->value});
  return truth(Reduce::Min, a, axes, keepdim, "all");
}

TensorPtr arg_extreme(cpu::Extreme which, const TensorPtr& a,
                      std::optional<int64_t> dim, bool keepdim) {
  const runtime::OpScope scope(which == cpu::Extreme::Largest ? "argmax" : "argmin",
                               {&a->value});
  return shaped(detach(a), dim, keepdim, "argmax",
                [which](const TensorPtr& x, int64_t d) {
                  return without_node(ops::arg_extreme(which, x->value, d), {x});
                });
}

TensorPtr cumsum(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("cumsum", {&a->value});
  if (a->value.dims() == 0) {  // (1,) -> ()
    return reshape(cumsum(reshape(a, array::Shape{1}), dim), array::Shape{});
  }
  return record("cumsum", ops::cumsum(a->value, dim), {a}, [&] {
    return [dim](const TensorPtr& g, Node&) {
      const array::Dims along{dim};
      return Gradients{flip(cumsum(flip(g, along), dim), along)};
    };
  });
}

}  // namespace minitorch::autograd

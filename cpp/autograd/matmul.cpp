#include "autograd/matmul.h"

#include <algorithm>

#include "autograd/layout.h"
#include "autograd/node.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/matmul.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

/// Swaps the last two dimensions: a view.
TensorPtr transposed(const TensorPtr& a) {
  const size_t dims = a->value.dims();
  array::Dims order(dims, 0);
  for (size_t i = 0; i < dims; ++i) order[i] = static_cast<int64_t>(i);
  std::swap(order[dims - 1], order[dims - 2]);
  return permute(a, order);
}

/// (…, k, m) @ (…, m, n), summed over a batch that only `a` has: one product of
/// (k, … m) @ (… m, n) -> (k, n).
TensorPtr gradient_b(const TensorPtr& a, const TensorPtr& g, size_t b_dims) {
  const size_t dims = a->value.dims();
  if (b_dims > 2 || dims == 2) return matmul(transposed(a), g);
  const array::Shape rows{-1, a->value.shape().back()};
  const array::Shape columns{-1, g->value.shape().back()};
  return matmul(transposed(reshape(a, rows)), reshape(g, columns));
}

/// A vector on the left is a row, one on the right a column; the result lacks that dim.
TensorPtr matmul_of_vectors(const TensorPtr& a, const TensorPtr& b) {
  const array::Shape &left = a->value.shape(), &right = b->value.shape();
  const int64_t inner = right.size() > 1 ? right[right.size() - 2] : right[0];
  if (left.back() != inner) {
    throw base::ValueError(
        "matmul",
        base::text("a is ", base::tuple_text(left), ", b is ", base::tuple_text(right),
                   ": inner sizes differ (", left.back(), " vs ", inner, ")."));
  }
  const bool row = left.size() == 1, column = right.size() == 1;
  // (k) @ (…, k, n) -> (…, n), (…, m, k) @ (k) -> (…, m), (k) @ (k) -> ()
  TensorPtr out = matmul(row ? unsqueeze(a, 0) : a, column ? unsqueeze(b, 1) : b);
  if (row) out = squeeze(out, -2);
  return column ? squeeze(out, -1) : out;
}

}  // namespace

TensorPtr matmul(const TensorPtr& a, const TensorPtr& b) {
  const runtime::OpScope scope("matmul", {&a->value, &b->value});
  const size_t fewer = std::min(a->value.dims(), b->value.dims());
  if (fewer == 0) {
    throw base::ValueError(
        "matmul",
        base::text("a is ", base::tuple_text(a->value.shape()), ", b is ",
                   base::tuple_text(b->value.shape()),
                   "; need a dimension or more each. A number multiplies with *."));
  }
  if (fewer == 1) return matmul_of_vectors(a, b);
  return record("matmul", ops::matmul(a->value, b->value), {a, b}, [&] {
    const bool needs_a = a->requires_grad, needs_b = b->requires_grad;
    return [x = needs_b ? Saved(a) : Saved(), y = needs_a ? Saved(b) : Saved(), needs_a,
            needs_b, b_dims = b->value.dims()](const TensorPtr& g, Node&) {
      return Gradients{needs_a ? matmul(g, transposed(y.tensor())) : nullptr,
                       needs_b ? gradient_b(x.tensor(), g, b_dims) : nullptr};
    };
  });
}

}  // namespace minitorch::autograd

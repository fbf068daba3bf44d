// Owns the matrix product of tensors and its gradient.
#include "autograd/matmul.h"

#include "autograd/layout.h"
#include "autograd/node.h"
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

}  // namespace

TensorPtr matmul(const TensorPtr& a, const TensorPtr& b) {
  const runtime::OpScope scope("matmul", {&a->value, &b->value});
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

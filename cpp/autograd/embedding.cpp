#include "autograd/embedding.h"

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"
#include "ops/embedding.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

TensorPtr look_up(const TensorPtr& table, const array::Array& indices, int64_t skipped);

/// (…, width) -> (rows, width)
TensorPtr add_up(const TensorPtr& g, const array::Array& indices, int64_t rows,
                 int64_t skipped) {
  return record(
      "embedding_grad", ops::embedding_grad(g->value, indices, rows, skipped), {g},
      [&] {
        return [=](const TensorPtr& u, Node&) {
          if (skipped < 0) return Gradients{look_up(u, indices, skipped)};
          // What is left out on the way back takes no part on the way here.
          array::Array kept =
              ops::full(array::Shape{rows, 1}, 1, u->value.dtype(), u->value.device());
          const auto row = static_cast<size_t>(0);
          ops::copy_into(
              ops::full(array::Shape{1, 1}, 0, u->value.dtype(), u->value.device()),
              kept.slice(row, skipped, skipped + 1, 1));
          return Gradients{look_up(mul(u, make_tensor(kept)), indices, skipped)};
        };
      });
}

TensorPtr look_up(const TensorPtr& table, const array::Array& indices,
                  int64_t skipped) {
  return record("embedding", ops::embedding(table->value, indices), {table}, [&] {
    return [=, rows = table->value.shape()[0]](const TensorPtr& g, Node&) {
      return Gradients{add_up(g, indices, rows, skipped)};
    };
  });
}

}  // namespace

TensorPtr embedding(const TensorPtr& table, const TensorPtr& indices, int64_t skipped) {
  const runtime::OpScope scope("embedding", {&table->value, &indices->value});
  const array::Shape& shape = table->value.shape();
  if (shape.size() != 2) {
    throw base::ValueError("embedding",
                           base::text("got a table of shape ", base::tuple_text(shape),
                                      "; need (rows, width)."));
  }
  if (skipped < -1 || skipped >= shape[0]) {
    throw base::ValueError(
        "embedding", base::text("got padding index ", skipped, "; need a row below ",
                                shape[0], "."));
  }
  const array::Array rows = ops::checked_indices(indices->value, shape[0], "embedding");
  return look_up(table, rows, skipped);
}

}  // namespace minitorch::autograd

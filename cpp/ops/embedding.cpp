#include "ops/embedding.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "cpu/rows.h"
#include "ops/check.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

void launch(const char* kernel, const Array& target, const Array& source,
            const Array& indices, int64_t width, int64_t cells,
            const int64_t* skipped) {
  KernelLaunch launch(kernel, target.dtype());
  for (const Array* array : {&target, &source, &indices}) {
    launch.reach(*array);
    launch.add(*array);
  }
  if (skipped) launch.add_value(*skipped);
  launch.add_index(width);
  launch.add_index(cells);
  const auto count = static_cast<uint64_t>(cells);
  launch.run({static_cast<uint32_t>((count + kThreads - 1) / kThreads)}, {kThreads});
}

}  // namespace

Array checked_indices(const Array& indices, int64_t rows, const char* where) {
  const runtime::OpScope scope("checked_indices", {&indices});
  return checked_numbers(Numbers::Row, indices, rows, where);
}

Array embedding(const Array& table, const Array& indices) {
  const runtime::OpScope scope("embedding", {&table, &indices});
  require_one_device("embedding", table, indices);
  const int64_t width = table.shape()[1];
  Shape shape = indices.shape();
  shape.push_back(width);  // (…) -> (…, width)
  const Array rows = ready(table);
  Array out = empty(shape, rows.dtype(), table.device());
  if (out.size() > 0 && table.device() == Device::Cuda) {
    launch("embedding", out, rows, indices, width, out.size(), nullptr);
  } else if (out.size() > 0) {
    visit_real(rows.dtype(), "embedding", [&](auto type) {
      using T = typename decltype(type)::type;
      const int64_t* at = indices.data<int64_t>();
      for (int64_t i = 0; i < indices.size(); ++i)
        std::copy_n(rows.data<T>() + at[i] * width, width, out.data<T>() + i * width);
    });
  }
  return cast(out, result_dtype(table.dtype()));
}

Array embedding_grad(const Array& gradient, const Array& indices, int64_t rows,
                     int64_t skipped) {
  const runtime::OpScope scope("embedding_grad", {&gradient, &indices});
  const int64_t width = gradient.shape().back();
  const Array g = ready(gradient);
  Array out = full(Shape{rows, width}, 0, g.dtype(), g.device());
  if (g.size() > 0 && g.device() == Device::Cuda) {
    launch("embedding_grad", out, g, indices, width, g.size(), &skipped);
  } else if (g.size() > 0) {
    visit_real(g.dtype(), "embedding", [&](auto type) {
      using T = typename decltype(type)::type;
      const int64_t* at = indices.data<int64_t>();
      for (int64_t i = 0; i < indices.size(); ++i) {
        if (at[i] == skipped) continue;
        cpu::add_row(g.data<T>() + i * width, out.data<T>() + at[i] * width, width);
      }
    });
  }
  return cast(out, gradient.dtype());
}

}  // namespace minitorch::ops

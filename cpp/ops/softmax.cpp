#include "ops/softmax.h"

#include <algorithm>
#include <bit>

#include "ops/check.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

using cpu::Lines;

namespace {

/// A block a line, with as many threads as it has cells, up to kThreads.
void run_lines(KernelLaunch& launch, const Lines& lines) {
  const auto cells = static_cast<uint64_t>(lines.length);
  const auto threads =
      static_cast<uint32_t>(std::bit_ceil(std::min<uint64_t>(cells, kThreads)));
  launch.add_index(lines.length);
  launch.add_index(lines.inner);
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  launch.run({static_cast<uint32_t>(lines.count())}, {threads});
}

KernelLaunch launch_of(const char* entry, cpu::Softmax kind, const Array& a) {
  KernelLaunch launch(entry, computed_in(a.dtype()));
  launch.type("Source", a.dtype());
  launch.flag("LOGARITHM", kind == cpu::Softmax::Logarithm);
  launch.reach(a);
  return launch;
}

const char* name_of(cpu::Softmax kind) {
  return kind == cpu::Softmax::Plain ? "softmax" : "log_softmax";
}

}  // namespace

Lines lines_along(const Shape& shape, size_t d) {
  Lines lines{1, shape[d], 1};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i < d) lines.outer *= shape[i];
    if (i > d) lines.inner *= shape[i];
  }
  return lines;
}

namespace {

/// `targets` is how many lines see ever more of their cells, or 0: all see all.
Array softmax(cpu::Softmax kind, const Array& a, size_t d, int64_t targets) {
  const bool cuda = a.device() == Device::Cuda;
  const Dtype dtype = result_dtype(a.dtype());
  const Array x = contiguous(cast(a, cuda ? dtype : computed_in(dtype)));
  const Array out = empty(a.shape(), x.dtype(), a.device());
  if (out.size() == 0) return cast(out, dtype);
  const Lines lines = lines_along(a.shape(), d);
  if (cuda) {
    KernelLaunch launch = launch_of("softmax", kind, x);
    launch.flag("CAUSAL", targets > 0);
    launch.add(out);
    launch.add(x);
    launch.add_index(targets);
    run_lines(launch, lines);
    return out;
  }
  visit_real(x.dtype(), name_of(kind), [&](auto type) {
    using T = typename decltype(type)::type;
    if (targets > 0) {
      cpu::causal_softmax<T>(lines, targets, x.data<T>(), out.data<T>());
    } else {
      cpu::softmax<T>(lines, kind, x.data<T>(), out.data<T>());
    }
  });
  return cast(out, dtype);
}

}  // namespace

Array softmax(cpu::Softmax kind, const Array& a, int64_t dim) {
  const runtime::OpScope scope(name_of(kind), {&a});
  return softmax(kind, a, array::normalise_dim(dim, a.dims(), name_of(kind)), 0);
}

Array causal_softmax(const Array& a) {
  const runtime::OpScope scope("causal_softmax", {&a});
  if (a.dims() < 2) {
    throw base::ValueError("causal_softmax",
                           base::text("got ", base::tuple_text(a.shape()),
                                      "; need (..., targets, sources)."));
  }
  const int64_t targets = a.shape()[a.dims() - 2];
  return softmax(cpu::Softmax::Plain, a, a.dims() - 1, std::max<int64_t>(targets, 1));
}

Array softmax_grad(cpu::Softmax kind, const Array& gradient, const Array& result,
                   int64_t dim) {
  const runtime::OpScope scope("softmax_grad", {&gradient, &result});
  const size_t d = array::normalise_dim(dim, result.dims(), name_of(kind));
  const bool cuda = result.device() == Device::Cuda;
  const Dtype dtype = result.dtype(), held = cuda ? dtype : computed_in(dtype);
  const Array g = contiguous(cast(gradient, held)), y = contiguous(cast(result, held));
  const Array out = empty(result.shape(), held, result.device());
  if (out.size() == 0) return cast(out, dtype);
  const Lines lines = lines_along(result.shape(), d);
  if (cuda) {
    KernelLaunch launch = launch_of("softmax_grad", kind, y);
    for (const Array* each : {&out, &g, &y}) launch.add(*each);
    run_lines(launch, lines);
    return out;
  }
  visit_real(held, name_of(kind), [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::softmax_grad<T>(lines, kind, g.data<T>(), y.data<T>(), out.data<T>());
  });
  return cast(out, dtype);
}

Array one_hot(const Array& labels, int64_t classes, Dtype dtype, const char* where) {
  const runtime::OpScope scope("one_hot", {&labels});
  if (labels.dims() != 1) {
    throw base::ValueError(
        where, base::text("got labels of shape ", base::tuple_text(labels.shape()),
                          "; need one dimension (n,)."));
  }
  const Array known = checked_numbers(Numbers::Label, labels, classes, where);
  const Array across = arange(0, 1, classes, Dtype::Int64, labels.device());
  const Array hit = compare(cpu::Compare::Equal, known.unsqueeze(1), across);
  return cast(hit, dtype);  // (n, 1) == (classes,) -> (n, classes)
}

}  // namespace minitorch::ops

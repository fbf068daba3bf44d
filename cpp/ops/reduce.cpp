// Owns the reductions on both devices.
#include "ops/reduce.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"

namespace minitorch::ops {
namespace {

using cpu::Reduce;

const char* name_of(Reduce op) { return op == Reduce::Sum ? "sum" : "max"; }

double start_of(Reduce op, Dtype dtype) {
  if (op == Reduce::Sum) return 0;
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(dtype == Dtype::Int32 ? std::numeric_limits<int32_t>::lowest()
                                                   : std::numeric_limits<int64_t>::lowest());
}

constexpr int64_t kSegment = 1 << 16;  // cells that one group of threads folds at most

/// (…, n, …) -> (segments, …): `out` has as many cells as the kept dimensions times the
/// segments.
void fold_on_device(Reduce op, const Array& a, size_t dim, int64_t segment,
                    const Array& out) {
  const int64_t length = a.shape()[dim], step = a.strides()[dim];
  const Array kept = a.select(dim, 0);
  const auto threads = static_cast<int64_t>(kThreads);
  const auto group = static_cast<int64_t>(std::bit_ceil(
      static_cast<uint64_t>(std::clamp<int64_t>(std::min(length, segment) / 4, 1, threads))));
  const bool along_rows = step == 1 || kept.size() == 1;
  KernelLaunch launch("reduce", a.dtype(), name_of(op));
  launch.function("Scalar a, Scalar b",
                  op == Reduce::Sum ? "return a + b;" : "return a > b || a != a ? a : b;");
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  launch.line(base::text("constexpr int GROUP = ", group, ";"));
  launch.line(base::text("constexpr bool ALONG_ROWS = ", along_rows ? "true;" : "false;"));
  launch.walk(kept.shape(), {&kept});
  launch.reach(a);
  launch.add(out);
  launch.add(kept);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(kept.size());
  launch.add_index(length);
  launch.add_index(step);
  launch.add_index(segment);
  launch.add_scalar(start_of(op, a.dtype()));
  const int64_t slots = threads / group;
  launch.run({static_cast<uint32_t>((kept.size() + slots - 1) / slots),
              static_cast<uint32_t>((length + segment - 1) / segment)},
             {kThreads});
}

void reduce_on_device(Reduce op, const Array& a, size_t dim, const Array& out) {
  const int64_t length = a.shape()[dim];
  // Long rows with few outputs would leave most of the card idle.
  const bool split = length > 2 * kSegment && out.size() < 1024;
  if (!split) return fold_on_device(op, a, dim, std::max<int64_t>(length, 1), out);
  const int64_t segments = (length + kSegment - 1) / kSegment;
  const Array partial = empty(Shape{segments, out.size()}, a.dtype(), a.device());
  fold_on_device(op, a, dim, kSegment, partial);
  fold_on_device(op, partial, 0, segments, out);
}

}  // namespace

Array reduce(Reduce op, const Array& a, int64_t dim) {
  const char* where = name_of(op);
  const size_t d = array::normalise_dim(dim, a.dims(), where);
  if (!is_floating(a.dtype()) && size_of(a.dtype()) == 1) {
    return reduce(op, cast(a, Dtype::Int64), dim);
  }
  if (op == Reduce::Max && a.shape()[d] == 0) {
    throw base::ValueError(where,
                           base::text("got shape ", base::tuple_text(a.shape()),
                                      "; need at least one element along dim ", d, "."));
  }
  Shape shape = a.shape();
  shape[d] = 1;  // (…, n, …) -> (…, 1, …)
  Array out = empty(shape, a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.shape()[d] == 0) return full(shape, 0, a.dtype(), a.device());
  if (a.device() == Device::Cuda) {
    reduce_on_device(op, a, d, out);
    return out;
  }
  visit_number(a.dtype(), where, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::reduce<T>(op, a.shape(), d, host_input<T>(a), out.data<T>());
  });
  return out;
}

Array reduce_all(Reduce op, const Array& a) {
  return reduce(op, reshape(a, Shape{a.size()}), 0);
}

Array sum_to(const Array& a, const Shape& shape) {
  Array out = a;
  const size_t added = a.dims() - shape.size();
  for (size_t d = 0; d < a.dims(); ++d) {
    const int64_t wanted = d < added ? 1 : shape[d - added];
    if (out.shape()[d] != wanted) out = reduce(Reduce::Sum, out, static_cast<int64_t>(d));
  }
  return added ? reshape(out, shape) : out;
}

}  // namespace minitorch::ops

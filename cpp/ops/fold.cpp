#include "ops/fold.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"

namespace minitorch::ops {
namespace {

constexpr int64_t kSegment = 1 << 16;    // cells that one group of threads should fold
constexpr int64_t kMaxSegments = 65535;  // blocks along y
// A thread should fold some cells itself before the tree begins.
constexpr int64_t kCellsPerThread = 4;

/// (…, n, …) -> (segments, …): `out` has as many cells as the kept dimensions times the
/// segments.
void fold_pass(const FoldKernel& fold, const Array& a, size_t dim, int64_t segment,
               const Array& out) {
  const int64_t length = a.shape()[dim], step = a.strides()[dim];
  const int64_t shared_by = std::min(length, segment) / kCellsPerThread;
  const Array kept = a.select(dim, 0);
  const auto threads = static_cast<int64_t>(kThreads);
  const auto group = static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(shared_by, 1, threads))));
  const bool along_rows = step == 1 || kept.size() == 1;
  KernelLaunch launch("reduce", a.dtype());
  for (const std::string& option : fold.options) launch.option(option);
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  launch.line(base::text("constexpr int GROUP = ", group, ";"));
  launch.line(
      base::text("constexpr bool ALONG_ROWS = ", along_rows ? "true;" : "false;"));
  launch.line(fold.function);
  launch.walk(kept.shape(), {&kept});
  launch.reach(a);
  launch.add(out);
  launch.add(a);  // which begins where `kept` does
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(kept.size());
  launch.add_index(length);
  launch.add_index(step);
  launch.add_index(segment);
  launch.add_scalar(fold.start);
  const int64_t slots = threads / group;
  launch.run({static_cast<uint32_t>((kept.size() + slots - 1) / slots),
              static_cast<uint32_t>((length + segment - 1) / segment)},
             {kThreads});
}

}  // namespace

void fold_on_device(const FoldKernel& fold, const Array& a, size_t dim,
                    const Array& out) {
  const int64_t length = a.shape()[dim];
  // Long rows with few outputs would leave most of the card idle.
  const bool split = length > 2 * kSegment && out.size() < 1024;
  if (!split) return fold_pass(fold, a, dim, std::max<int64_t>(length, 1), out);
  const int64_t segment =
      std::max(kSegment, (length + kMaxSegments - 1) / kMaxSegments);
  const int64_t segments = (length + segment - 1) / segment;
  const Array partial = empty(Shape{segments, out.size()}, a.dtype(), a.device());
  fold_pass(fold, a, dim, segment, partial);
  fold_pass(fold, partial, 0, segments, out);
}

}  // namespace minitorch::ops

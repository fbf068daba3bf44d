#include "ops/windows.h"

#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::ops {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

void require_at_least(int64_t least, int64_t value, const char* name,
                      const char* where) {
  if (value >= least && value <= kMost) return;
  throw base::ValueError(where, base::text("got ", name, " ", value, "; need ", least,
                                           " to ", kMost, "."));
}

}  // namespace

kernels::SlidingAxis slide(const Windows& windows, size_t axis, int64_t size,
                           const char* where) {
  const int64_t kernel = windows.kernel[axis], stride = windows.stride[axis],
                before = windows.before[axis], after = windows.after[axis],
                dilation = windows.dilation[axis];
  require_at_least(1, kernel, "kernel size", where);
  require_at_least(1, stride, "stride", where);
  require_at_least(1, dilation, "dilation", where);
  require_at_least(0, before, "padding", where);
  require_at_least(0, after, "padding", where);
  require_at_least(0, size, "size", where);
  const int64_t padded = size + before + after;
  const int64_t reach = dilation * (kernel - 1) + 1;
  if (reach > padded) {
    throw base::ValueError(where,
                           base::text("got windows of ", reach, " cells for ",
                                      axis == 0 ? "rows" : "columns", " of ", padded,
                                      ", padding included; need windows that fit."));
  }
  return {size, (padded - reach) / stride + 1, kernel, stride, before, dilation};
}

}  // namespace minitorch::ops

#include "ops/cat.h"

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

Array cat(const std::vector<Array>& arrays, int64_t dim) {
  const runtime::OpScope scope("cat", arrays);
  using base::text;
  using base::tuple_text;
  if (arrays.empty()) {
    throw base::ValueError("cat", "got no tensors; need at least one.");
  }
  const Array& first = arrays.front();
  const size_t d = array::normalise_dim(dim, first.dims(), "cat");
  Shape shape = first.shape();
  Dtype dtype = first.dtype();
  shape[d] = 0;
  for (const Array& each : arrays) {
    require_one_device("cat", first, each);
    dtype = promote(dtype, each.dtype());
    bool fits = each.dims() == first.dims();
    for (size_t i = 0; fits && i < each.dims(); ++i) {
      fits = i == d || each.shape()[i] == shape[i];
    }
    if (!fits) {
      throw base::ValueError(
          "cat", text("shapes ", tuple_text(first.shape()), " and ",
                      tuple_text(each.shape()), " differ outside dimension ", d, "."));
    }
    shape[d] += each.shape()[d];
  }
  const Array out = empty(shape, dtype, first.device());
  int64_t start = 0;
  for (const Array& each : arrays) {
    const int64_t end = start + each.shape()[d];
    copy_into(each, out.slice(d, start, end, 1));
    start = end;
  }
  return out;
}

}  // namespace minitorch::ops

#include "array/index.h"

#include "base/error.h"
#include "base/text.h"

namespace minitorch::array {
namespace {

void require_within(const Array& a, size_t dim, const IndexPart& part) {
  using base::text;
  const int64_t size = a.shape()[dim];
  const int64_t reach = part.kind == IndexPart::Kind::Range ? part.count - 1 : 0;
  const bool empty = reach < 0;
  // In this order nothing overflows: each is at most the size.
  const bool fits = empty || (part.first >= 0 && part.first < size && reach < size);
  const int64_t last = fits && !empty && reach > 0 ? part.first + reach * part.step : 0;
  if (fits && last >= 0 && last < (size > 0 ? size : 1)) return;
  throw base::IndexError(
      "index", text("got ", part.first, " with ", part.count, " steps of ", part.step,
                    " for dim ", dim, " of size ", size, "; need positions below it."));
}

}  // namespace

Array index(const Array& a, const std::vector<IndexPart>& parts) {
  Shape shape;
  Strides strides;
  int64_t offset = a.offset();
  size_t dim = 0;
  for (const IndexPart& part : parts) {
    if (part.kind == IndexPart::Kind::New) {
      shape.push_back(1);
      strides.push_back(0);
      continue;
    }
    if (dim == a.dims()) {
      throw base::IndexError(
          "index", base::text("got more indices than shape ",
                              base::tuple_text(a.shape()), " has dimensions."));
    }
    require_within(a, dim, part);
    const int64_t stride = a.strides()[dim++];
    const bool range = part.kind == IndexPart::Kind::Range;
    if (!range || part.count > 0) offset += part.first * stride;
    if (!range) continue;
    shape.push_back(part.count);
    strides.push_back(part.count > 1 ? stride * part.step : stride);
  }
  for (; dim < a.dims(); ++dim) {
    shape.push_back(a.shape()[dim]);
    strides.push_back(a.strides()[dim]);
  }
  return Array(a.dtype(), std::move(shape), std::move(strides), offset, a.storage());
}

}  // namespace minitorch::array

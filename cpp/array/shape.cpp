#include "array/shape.h"

#include <algorithm>

#include "array/broadcast_error.h"
#include "base/error.h"
#include "base/text.h"

namespace minitorch::array {

using base::text;
using base::tuple_text;

int64_t element_count(const Shape& shape, const char* where) {
  if (shape.size() > kMaxDims) {
    throw base::ValueError(
        where, text("got ", shape.size(), " dimensions; need at most ", kMaxDims, "."));
  }
  constexpr int64_t kLimit = int64_t{1} << 62;
  bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0) {
      throw base::ValueError(
          where, text("got shape ", tuple_text(shape), "; need sizes of 0 or more."));
    }
    if (empty) continue;
    if (count > kLimit / size) {
      throw base::ValueError(where, text("got shape ", tuple_text(shape),
                                         "; need fewer than 2**62 elements."));
    }
    count *= size;
  }
  return empty ? 0 : count;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    // Unsigned, because the strides of an array without elements may wrap.
    strides[i - 1] =
        static_cast<int64_t>(static_cast<uint64_t>(strides[i]) *
                             static_cast<uint64_t>(std::max<int64_t>(shape[i], 1)));
  }
  return strides;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* where) {
  if (a == b) return a;
  size_t dims = std::max(a.size(), b.size());
  Shape out(dims, 1);
  for (size_t i = 0; i < dims; ++i) {  // from the last dimension to the first
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      throw BroadcastError(
          where, text("shapes ", tuple_text(a), " and ", tuple_text(b),
                      " cannot be broadcast: dimension -", i + 1, " has sizes ", x,
                      " and ", y, "; they must be equal, or one of them 1."));
    }
    out[dims - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

size_t normalise_dim(int64_t dim, size_t dims, const char* where) {
  int64_t count = static_cast<int64_t>(dims);
  if (dim < -count || dim >= count) {
    throw base::IndexError(
        where, count == 0
                   ? text("got dim ", dim, "; a scalar has no dimensions.")
                   : text("got dim ", dim, "; need ", -count, " to ", count - 1,
                          " for ", count, count == 1 ? " dimension." : " dimensions."));
  }
  return static_cast<size_t>(dim < 0 ? dim + count : dim);
}

Shape infer_shape(const Shape& shape, int64_t count, const char* where) {
  Shape out = shape;
  int unknown = -1;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != -1) continue;
    if (unknown >= 0) {
      throw base::ValueError(where,
                             text("got ", tuple_text(shape), "; need at most one -1."));
    }
    unknown = static_cast<int>(i);
    out[i] = 1;
  }
  const int64_t known = element_count(out, where);
  if (unknown >= 0) out[unknown] = -1;
  if (unknown >= 0 && known > 0 && count % known == 0) out[unknown] = count / known;
  bool open = unknown >= 0 && out[unknown] == -1;
  if (open || element_count(out, where) != count) {
    throw base::ValueError(where, text("shape ", tuple_text(shape), " does not fit a ",
                                       "tensor of ", count, " elements."));
  }
  return out;
}

}  // namespace minitorch::array

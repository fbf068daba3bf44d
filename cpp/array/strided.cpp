#include "array/strided.h"

#include "base/error.h"
#include "base/text.h"

namespace minitorch::array {
namespace {

using base::text;
using base::tuple_text;

/// Elements from the first to the last one.
int64_t extent(const Shape& shape, const Strides& strides, const char* where) {
  if (element_count(shape, where) == 0) return 0;
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = 0;
    if (strides[i] < 0 || __builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(last, step, &last)) {
      throw base::ValueError(
          where, text("got strides ", tuple_text(strides), " for ", tuple_text(shape),
                      "; need 0 or more, inside of memory."));
    }
  }
  return last + 1;
}

}  // namespace

Array memory_row(const Array& a) {
  const int64_t length = extent(a.shape(), a.strides(), "storage");
  return Array(a.dtype(), Shape{length}, Strides{1}, a.offset(), a.storage());
}

Array whole_memory(const Array& a) {
  const size_t bytes = a.storage()->bytes();
  const auto length = static_cast<int64_t>(bytes / size_of(a.dtype()));
  return Array(a.dtype(), Shape{length}, Strides{1}, 0, a.storage());
}

Array strided(const Array& row, const Shape& shape, const Strides& strides) {
  if (row.dims() != 1 || strides.size() != shape.size()) {
    throw base::ValueError("strides",
                           text("got strides ", tuple_text(strides), " for shape ",
                                tuple_text(shape), "; need one for each dimension."));
  }
  const int64_t needed = extent(shape, strides, "strides");
  if (needed > row.size()) {
    throw base::ValueError(
        "strides",
        text("got shape ", tuple_text(shape), " with strides ", tuple_text(strides),
             " for ", row.size(), " elements; need ", needed, "."));
  }
  return Array(row.dtype(), shape, strides, row.offset(), row.storage());
}

}  // namespace minitorch::array

// The views of an Array: other shape and strides on the same storage, no copies.
#include <algorithm>

#include "array/array.h"
#include "array/broadcast_error.h"
#include "base/error.h"
#include "base/text.h"

namespace minitorch::array {

using base::text;
using base::tuple_text;

Array Array::permute(const Dims& order, const char* where) const {
  Shape shape(dims(), 0);
  Strides strides(dims(), 0);
  Dims seen(dims(), 0);
  bool valid = order.size() == dims();
  for (size_t i = 0; valid && i < dims(); ++i) {
    size_t from = normalise_dim(order[i], dims(), where);
    valid = seen[from]++ == 0;
    shape[i] = shape_[from];
    strides[i] = strides_[from];
  }
  if (!valid) {
    throw base::ValueError(
        where, text("got order ", tuple_text(order), " for shape ", tuple_text(shape_),
                    "; need every one of its ", dims(), " dimensions once."));
  }
  return Array(dtype_, std::move(shape), std::move(strides), offset_, storage_);
}

Array Array::expand(const Shape& shape, const char* where) const {
  bool valid = shape.size() >= dims();
  size_t added = valid ? shape.size() - dims() : 0;
  Strides strides(shape.size(), 0);
  for (size_t i = added; valid && i < shape.size(); ++i) {
    int64_t own = shape_[i - added];
    valid = own == shape[i] || own == 1;
    strides[i] = own == shape[i] ? strides_[i - added] : 0;
  }
  if (!valid) {
    throw BroadcastError(where,
                         text("shape ", tuple_text(shape_), " cannot be broadcast to ",
                              tuple_text(shape), "."));
  }
  return Array(dtype_, shape, std::move(strides), offset_, storage_);
}

std::optional<Array> Array::reshape(const Shape& shape) const {
  if (is_contiguous()) {
    return Array(dtype_, shape, contiguous_strides(shape), offset_, storage_);
  }
  Strides strides(shape.size(), 0);
  size_t from = 0, to = 0;
  // Match groups of old and new dimensions with equal products; a group can be viewed
  // only if its old dimensions lie one after another in memory.
  while (from < dims() && to < shape.size()) {
    size_t from_end = from + 1, to_end = to + 1;
    int64_t old_count = shape_[from], new_count = shape[to];
    while (old_count != new_count) {
      if (old_count < new_count) {
        if (from_end == dims()) return std::nullopt;
        old_count *= shape_[from_end++];
      } else {
        if (to_end == shape.size()) return std::nullopt;
        new_count *= shape[to_end++];
      }
    }
    int64_t step = 0, expected = -1;
    for (size_t i = from_end; i-- > from;) {
      if (shape_[i] == 1) continue;
      if (expected < 0) {
        step = strides_[i];
      } else if (strides_[i] != expected) {
        return std::nullopt;
      }
      expected = strides_[i] * shape_[i];
    }
    for (size_t i = to_end; i-- > to;) {
      strides[i] = step;
      step *= shape[i];
    }
    from = from_end;
    to = to_end;
  }
  return Array(dtype_, shape, std::move(strides), offset_, storage_);
}

Array Array::slice(size_t dim, int64_t start, int64_t stop, int64_t step) const {
  if (step < 1) {
    throw base::ValueError("slice", text("got step ", step, "; need 1 or more."));
  }
  int64_t n = shape_[dim];
  auto clip = [n](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  int64_t first = clip(start), last = clip(stop);
  Shape shape = shape_;
  Strides strides = strides_;
  shape[dim] = last > first ? (last - first - 1) / step + 1 : 0;
  if (shape[dim] > 1) strides[dim] *= step;  // else nobody steps, and it may overflow
  int64_t offset = shape[dim] ? offset_ + first * strides_[dim] : offset_;
  return Array(dtype_, std::move(shape), std::move(strides), offset, storage_);
}

Array Array::select(size_t dim, int64_t index) const {
  int64_t n = shape_[dim];
  if (index < -n || index >= n) {
    throw base::IndexError("index",
                           text("index ", index, " is out of range for dimension ", dim,
                                " of size ", n, "; need ", -n, " to ", n - 1, "."));
  }
  int64_t at = index < 0 ? index + n : index;
  return slice(dim, at, at + 1, 1).squeeze(dim);
}

Array Array::as_dtype(Dtype dtype) const {
  return Array(dtype, shape_, strides_, offset_, storage_);
}

Array Array::squeeze(size_t dim) const {
  Shape shape;
  Strides strides;
  for (size_t i = 0; i < dims(); ++i) {
    if (i == dim) continue;
    shape.push_back(shape_[i]);
    strides.push_back(strides_[i]);
  }
  return Array(dtype_, std::move(shape), std::move(strides), offset_, storage_);
}

Array Array::unsqueeze(size_t dim) const {
  Shape shape;
  Strides strides;
  for (size_t i = 0; i <= dims(); ++i) {
    if (i == dim) {
      shape.push_back(1);
      strides.push_back(0);
    }
    if (i < dims()) {
      shape.push_back(shape_[i]);
      strides.push_back(strides_[i]);
    }
  }
  return Array(dtype_, std::move(shape), std::move(strides), offset_, storage_);
}

}  // namespace minitorch::array

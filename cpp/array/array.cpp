#include "array/array.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace minitorch::array {

Array::Array(Dtype dtype, Shape shape, std::shared_ptr<Storage> storage)
    : dtype_(dtype),
      shape_(std::move(shape)),
      strides_(contiguous_strides(shape_)),
      size_(element_count(shape_, "array")),
      storage_(std::move(storage)) {}

Array::Array(Dtype dtype, Shape shape, Strides strides, int64_t offset,
             std::shared_ptr<Storage> storage)
    : dtype_(dtype),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      offset_(offset),
      size_(element_count(shape_, "array")),
      storage_(std::move(storage)) {}

void* Array::raw_data() const {
  return static_cast<std::byte*>(storage_->data()) +
         offset_ * static_cast<int64_t>(size_of(dtype_));
}

uint64_t Array::device_address() const {
  return storage_->address() +
         static_cast<uint64_t>(offset_) * static_cast<uint64_t>(size_of(dtype_));
}

bool Array::is_contiguous() const {
  if (size_ == 0) return true;
  int64_t expected = 1;
  for (size_t i = dims(); i-- > 0;) {
    if (shape_[i] == 1) continue;
    if (strides_[i] != expected) return false;
    expected *= shape_[i];
  }
  return true;
}

bool Array::may_overlap_itself() const {
  // In order of their strides, each dimension must step over all of those before it.
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (size_t i = 0; i < dims(); ++i) {
    if (shape_[i] == 0) return false;
    if (shape_[i] > 1) steps.emplace_back(std::abs(strides_[i]), shape_[i]);
  }
  std::sort(steps.begin(), steps.end());
  int64_t covered = 1;
  for (const auto& [step, count] : steps) {
    if (step < covered) return true;
    covered = step * (count - 1) + covered;
  }
  return false;
}

std::pair<int64_t, int64_t> Array::reach() const {
  int64_t low = 0, high = 0;
  for (size_t i = 0; size_ != 0 && i < dims(); ++i) {
    const int64_t last = (shape_[i] - 1) * strides_[i];
    (last < 0 ? low : high) += last;
  }
  return {low, high};
}

}  // namespace minitorch::array

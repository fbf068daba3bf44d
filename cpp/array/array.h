// The strided view of a storage: numbers, shape, strides.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "array/dtype.h"
#include "array/shape.h"
#include "array/storage.h"

namespace minitorch::array {

/// A dense array or a view of one. Copying an Array shares the storage; every view
/// method returns a new Array of the same storage and never copies elements. Strides
/// and offset count elements.
class Array {
 public:
  Array() = default;
  /// A row-major array that fills `storage` from its start.
  Array(Dtype dtype, Shape shape, std::shared_ptr<Storage> storage);
  Array(Dtype dtype, Shape shape, Strides strides, int64_t offset,
        std::shared_ptr<Storage> storage);

  Dtype dtype() const { return dtype_; }
  Device device() const { return storage_->device_kind(); }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  int64_t offset() const { return offset_; }
  size_t dims() const { return shape_.size(); }
  int64_t size() const { return size_; }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  bool defined() const { return storage_ != nullptr; }

  /// First element in host memory; valid on `cpu` only.
  template <class T>
  T* data() const {
    return static_cast<T*>(storage_->data()) + offset_;
  }
  void* raw_data() const;
  /// Address of the first element in device memory; valid on `cuda` only.
  uint64_t device_address() const;

  /// Row-major without gaps (dimensions of size 1 do not count).
  bool is_contiguous() const;
  /// May two indices name the same memory (as in an expanded view)? Never false then.
  bool may_overlap_itself() const;
  /// First and last element of the storage that it reaches, relative to `offset`.
  std::pair<int64_t, int64_t> reach() const;

  /// (s0, s1, …) -> (s[order[0]], s[order[1]], …).
  Array permute(const Dims& order, const char* where = "permute") const;
  /// Repeats dimensions of size 1 with stride 0, and adds leading ones.
  Array expand(const Shape& shape, const char* where = "expand") const;
  /// The same elements in another shape, or nothing where only a copy could do it.
  std::optional<Array> reshape(const Shape& shape) const;
  /// Elements start, start + step, … before stop of one dimension; step at least 1, and
  /// bounds as Python clips them.
  Array slice(size_t dim, int64_t start, int64_t stop, int64_t step) const;
  /// Drops `dim` at position `index`.
  Array select(size_t dim, int64_t index) const;
  /// The same bytes as elements of another type of the same size.
  Array as_dtype(Dtype dtype) const;
  /// Drops or inserts a dimension of size 1.
  Array squeeze(size_t dim) const;
  Array unsqueeze(size_t dim) const;

 private:
  Dtype dtype_ = Dtype::Float64;
  Shape shape_;
  Strides strides_;
  int64_t offset_ = 0;
  int64_t size_ = 0;
  std::shared_ptr<Storage> storage_;
};

}  // namespace minitorch::array

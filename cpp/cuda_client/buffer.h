// One piece of device memory and its lifetime.
#pragma once

#include <memory>

#include "cuda_client/allocator.h"

namespace minitorch::cuda_client {

/// Device memory that goes back to its allocator when freed or destroyed.
class Buffer {
 public:
  /// Never-written memory of `bytes` (0 is allowed), ordered on `stream`; `pool` as
  /// `Allocator::allocate` takes it.
  Buffer(std::shared_ptr<Allocator> allocator, size_t bytes, CUstream stream,
         uint64_t pool = 0)
      : allocator_(std::move(allocator)),
        pointer_(allocator_->allocate(bytes, stream, pool)),
        bytes_(bytes) {}
  /// Memory that is not the allocator's and lives as long as `owner`.
  Buffer(std::shared_ptr<Allocator> allocator, CUdeviceptr pointer, size_t bytes,
         std::shared_ptr<const void> owner)
      : allocator_(std::move(allocator)),
        pointer_(pointer),
        bytes_(bytes),
        owner_(std::move(owner)) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  CUdeviceptr pointer() const { return pointer_; }
  size_t bytes() const { return bytes_; }
  bool freed() const { return freed_; }
  Api& api() const { return allocator_->api(); }
  Allocator& allocator() const { return *allocator_; }

  /// Gives the memory back now (another owner's: lets go of it). `pointer()` keeps its
  /// value, so that a later launch with it is reported as a use after free. A second
  /// call does nothing.
  void free();

 private:
  std::shared_ptr<Allocator> allocator_;
  CUdeviceptr pointer_;
  size_t bytes_;
  std::shared_ptr<const void> owner_;
  bool freed_ = false;
};

}  // namespace minitorch::cuda_client

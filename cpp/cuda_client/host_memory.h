// Host memory that the device reaches: page-locked or managed.
#pragma once

#include <memory>

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// Memory that host and device both reach; given back when destroyed, which waits for
/// the work that may use it.
class HostMemory {
 public:
  enum class Kind { PageLocked, WriteCombined, Managed };

  /// At least one byte; throws OutOfMemory.
  HostMemory(std::shared_ptr<Api> api, size_t bytes, Kind kind);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* data() const { return data_; }
  CUdeviceptr pointer() const { return pointer_; }  // the device's address
  size_t bytes() const { return bytes_; }
  Kind kind() const { return kind_; }
  Api& api() const { return *api_; }

 private:
  std::shared_ptr<Api> api_;
  unsigned generation_;
  size_t bytes_;
  Kind kind_;
  void* data_ = nullptr;
  CUdeviceptr pointer_ = 0;
};

}  // namespace minitorch::cuda_client

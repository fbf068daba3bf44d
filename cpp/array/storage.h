// A block of memory, on the host or on a device; knows no shape or element type.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "array/dtype.h"

namespace minitorch::cuda_client {
class Api;
}

namespace minitorch::array {

/// Memory shared by all views of it; freed with the last one. Host memory is aligned to
/// 64 bytes. Device memory belongs to one cuda_client::Api and is held through `owner`.
class Storage {
 public:
  /// `bytes` of uninitialised host memory.
  static std::shared_ptr<Storage> host(size_t bytes);
  /// Host memory of someone else (a NumPy array), kept alive by `owner`.
  static std::shared_ptr<Storage> borrow(void* data, size_t bytes,
                                         std::shared_ptr<void> owner,
                                         bool read_only = false);
  /// Device memory at `address`, kept alive by `owner`.
  static std::shared_ptr<Storage> device(cuda_client::Api& api, uint64_t address,
                                         size_t bytes, std::shared_ptr<void> owner);

  Storage() = default;
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device device_kind() const { return api_ ? Device::Cuda : Device::Cpu; }
  size_t bytes() const { return bytes_; }
  void* data() const { return data_; }            // host only
  uint64_t address() const { return address_; }   // device only
  cuda_client::Api* api() const { return api_; }  // device only
  bool read_only() const { return read_only_; }   // must not be written in place

  /// Counts the in-place changes, so that who saved the memory can tell one.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  void mark_changed() { version_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void* data_ = nullptr;
  uint64_t address_ = 0;
  size_t bytes_ = 0;
  cuda_client::Api* api_ = nullptr;
  std::atomic<uint64_t> version_{0};
  bool read_only_ = false;
  std::shared_ptr<void> owner_;
};

}  // namespace minitorch::array

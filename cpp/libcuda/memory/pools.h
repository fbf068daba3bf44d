// Memory pools: their settings and what they have given out. A pool keeps no freed
// memory back, so what it reserves is what is in use.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cuda_abi/memory_types.h"

namespace minitorch::libcuda {

/// Whose memory a pool gives out.
enum class PoolKind : uint8_t { Device, Host, Managed };
inline constexpr size_t kPoolKinds = 3;

class Pool {
 public:
  /// `most`: bytes that may be in use at once; 0 = as much as the device has.
  Pool(CUmemoryPool handle, PoolKind kind, uint64_t most)
      : handle(handle), kind(kind), most(most) {}

  /// Counts `bytes` as used; false when the pool's limit does not allow them.
  bool take(uint64_t bytes);
  void give(uint64_t bytes);

  /// Reads or writes an attribute of 4 or 8 bytes; both throw Failure for others.
  void get(CUmemPool_attribute attribute, void* value) const;
  void set(CUmemPool_attribute attribute, const void* value);

  const CUmemoryPool handle;
  const PoolKind kind;
  const uint64_t most;

 private:
  mutable std::mutex mutex_;
  uint64_t used_ = 0, used_high_ = 0, reserved_high_ = 0, threshold_ = 0;
  int reuse_[3] = {1, 1, 1};  // by attribute - 1: what the client asked for
};

/// How a client got an allocation: who may free it, and what is said of it.
struct Holding {
  enum class Origin : uint8_t { Device, Pool, Managed, Host };
  Origin origin = Origin::Device;
  unsigned int flags = 0;  // as given to cuMemHostAlloc, cuMemAllocManaged
  std::shared_ptr<Pool> pool;

  bool managed() const {
    return origin == Origin::Managed ||
           (pool != nullptr && pool->kind == PoolKind::Managed);
  }
  bool reached_by_host() const {
    return managed() || origin == Origin::Host ||
           (pool != nullptr && pool->kind == PoolKind::Host);
  }
};

}  // namespace minitorch::libcuda

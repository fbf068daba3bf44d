// Host memory that a client has registered and lets kernels reach: a second copy inside
// device memory, made to agree with the client's before and after each operation.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "simt/memory/memory.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

class MappedHost {
 public:
  /// Null members where there is no room: `device` is 0.
  MappedHost(Memory& memory, uint64_t host, uint64_t bytes);
  ~MappedHost();
  MappedHost(const MappedHost&) = delete;
  MappedHost& operator=(const MappedHost&) = delete;

  /// What either side has changed since the last time is changed in the other; of both,
  /// the host's. Memory that the client has freed meanwhile is left alone.
  void agree();

  /// Is any memory mapped?
  static bool any() { return count_.load(std::memory_order_relaxed) != 0; }

  const uint64_t host, bytes;
  const uint64_t device;  // the address for kernels

 private:
  static inline std::atomic<uint64_t> count_{0};

  Memory& memory_;
  std::mutex mutex_;
  std::vector<uint8_t> agreed_, now_;
};

}  // namespace minitorch::libcuda

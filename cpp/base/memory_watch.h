// The way by which allocators tell of memory that they hand out and take back.
#pragma once

#include <atomic>
#include <cstdint>

namespace minitorch::base {

/// Memory that was handed out, or taken back: then `bytes` is below 0. `allocated` is
/// what is handed out afterwards, `reserved` what the allocator holds of the system or
/// the driver.
struct MemoryChange {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool on_device = false;
  uint64_t allocated = 0, reserved = 0;
};

/// Called by any thread, under the allocator's locks: it must not ask for memory of
/// that kind, and must not throw.
using MemoryWatch = void (*)(const MemoryChange& change) noexcept;
inline std::atomic<MemoryWatch> memory_watch{nullptr};

inline void tell_memory(const MemoryChange& change) noexcept {
  if (const MemoryWatch watch = memory_watch.load(std::memory_order_relaxed))
    watch(change);
}

}  // namespace minitorch::base

// What clients advised about managed memory and where they prefetched it, to be read
// back: nothing here depends on it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "cuda_abi/memory_types.h"

namespace minitorch::libcuda {

/// What is true of a byte.
struct Advice {
  bool read_mostly = false, used_by_device = false;
  CUmemLocation preferred{CU_MEM_LOCATION_TYPE_INVALID, 0};
  CUmemLocation prefetched{CU_MEM_LOCATION_TYPE_INVALID, 0};
};

class ManagedAdvice {
 public:
  /// `change(advice)` is done to all that is known of the range.
  template <class Change>
  void change(uint64_t base, uint64_t size, Change change) {
    std::lock_guard lock(mutex_);
    const auto end = split(base + size);
    for (auto at = split(base); at != end; ++at) change(at->second);
  }
  void forget(uint64_t base, uint64_t size) {
    change(base, size, [](Advice& advice) { advice = {}; });
  }
  /// What `part(advice)` is in all of the range; nothing where it differs.
  template <class Part>
  auto common(uint64_t base, uint64_t size, Part part) {
    std::lock_guard lock(mutex_);
    const auto end = split(base + size);
    auto at = split(base);
    std::optional value{part(at->second)};
    for (; at != end; ++at) {
      if (!(part(at->second) == *value)) return decltype(value){};
    }
    return value;
  }

 private:
  using Pieces = std::map<uint64_t, Advice>;  // each up to the next
  /// The piece that begins at `address`.
  Pieces::iterator split(uint64_t address) {
    return pieces_.emplace(address, std::prev(pieces_.upper_bound(address))->second)
        .first;
  }

  std::mutex mutex_;
  Pieces pieces_{{0, {}}};
};

}  // namespace minitorch::libcuda

// Owns which ranges of the arena are free; must not know allocations or bits.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace minitorch::emulator {

/// Free ranges of one address space: best fit, neighbours merged.
class FreeRanges {
 public:
  FreeRanges(uint64_t base, uint64_t size) { insert(base, size); }

  /// Takes `size` bytes out of the smallest range that holds them; 0 when none does.
  uint64_t take(uint64_t size) {
    const auto fit = by_size_.lower_bound({size, 0});
    if (fit == by_size_.end()) return 0;
    const auto [length, base] = *fit;
    erase(base, length);
    if (length > size) insert(base + size, length - size);
    return base;
  }

  void give(uint64_t base, uint64_t size) {
    auto next = by_base_.lower_bound(base);
    if (next != by_base_.begin()) {
      const auto [before, length] = *std::prev(next);
      if (before + length == base) {
        erase(before, length);
        base = before;
        size += length;
      }
    }
    next = by_base_.lower_bound(base);
    if (next != by_base_.end() && next->first == base + size) {
      const auto [after, length] = *next;
      erase(after, length);
      size += length;
    }
    insert(base, size);
  }

 private:
  void insert(uint64_t base, uint64_t size) {
    by_base_.emplace(base, size);
    by_size_.emplace(size, base);
  }
  void erase(uint64_t base, uint64_t size) {
    by_base_.erase(base);
    by_size_.erase({size, base});
  }

  std::map<uint64_t, uint64_t> by_base_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
};

}  // namespace minitorch::emulator

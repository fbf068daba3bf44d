// Which ranges of the arena are free.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace minitorch::simt {

/// Free ranges of one address space: best fit, neighbours merged.
class FreeRanges {
 public:
  FreeRanges(uint64_t base, uint64_t size) { insert(base, size); }

  /// Takes `size` bytes, the first at a multiple of `alignment` (a power of two), out
  /// of the smallest range that holds them; 0 when none does.
  uint64_t take(uint64_t size, uint64_t alignment) {
    for (auto fit = by_size_.lower_bound({size, 0}); fit != by_size_.end(); ++fit) {
      const auto [length, base] = *fit;
      const uint64_t skipped = -base & (alignment - 1);
      if (length - size < skipped) continue;  // only where little is to spare
      erase(base, length);
      if (skipped > 0) insert(base, skipped);
      const uint64_t rest = length - size - skipped;
      if (rest > 0) insert(base + skipped + size, rest);
      return base + skipped;
    }
    return 0;
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

}  // namespace minitorch::simt

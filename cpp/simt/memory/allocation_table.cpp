// Finding the allocation of an address in a snapshot.
#include <algorithm>

#include "simt/memory/memory.h"

namespace minitorch::simt {

AllocationTable::AllocationTable(std::vector<Allocation> sorted)
    : allocations_(std::move(sorted)) {}

const Allocation* AllocationTable::find(uint64_t address) const {
  const auto after = std::upper_bound(
      allocations_.begin(), allocations_.end(), address,
      [](uint64_t value, const Allocation& item) { return value < item.base; });
  if (after == allocations_.begin()) return nullptr;
  const Allocation& candidate = *std::prev(after);
  return address < candidate.end() ? &candidate : nullptr;
}

const Allocation* AllocationTable::nearest(uint64_t address) const {
  const auto after = std::upper_bound(
      allocations_.begin(), allocations_.end(), address,
      [](uint64_t value, const Allocation& item) { return value < item.base; });
  const Allocation* next = after == allocations_.end() ? nullptr : &*after;
  if (after == allocations_.begin()) return next;
  const Allocation* before = &*std::prev(after);
  if (next == nullptr || address < before->end()) return before;
  return address - before->end() <= next->base - address ? before : next;
}

}  // namespace minitorch::simt

#include "libcuda/streams/memory_use.h"

#include "libcuda/streams/host_races.h"

namespace minitorch::libcuda {

MemoryUse::~MemoryUse() {
  if (sequence != 0 && !done) host_races().dropped(sequence);
}

bool MemoryUse::ordered_with(const MemoryUse& other) const {
  if (nodes != nullptr && nodes == other.nodes) return nodes->ordered(node, other.node);
  return moment.after(other.moment) || other.moment.after(moment);
}

}  // namespace minitorch::libcuda

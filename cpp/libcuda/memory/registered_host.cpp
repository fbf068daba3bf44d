#include "libcuda/memory/registered_host.h"

#include <iterator>

#include "libcuda/contexts/process.h"

namespace minitorch::libcuda {
namespace {

/// The range of a process's that holds `address`; with its lock.
Process::Registered* registered_at(uint64_t address) {
  auto& all = process().registered;
  const auto after = all.upper_bound(address);
  if (after == all.begin()) return nullptr;
  auto& [base, range] = *std::prev(after);
  return address - base < range.bytes ? &range : nullptr;
}

}  // namespace

uint64_t map_registered(uint64_t address) {
  std::lock_guard lock(process().registered_mutex);
  Process::Registered* const range = registered_at(address);
  if (range == nullptr) return 0;
  if (range->mapped == nullptr) {
    const uint64_t most = process().device.memory.capacity();
    require(range->bytes <= most, CUDA_ERROR_OUT_OF_MEMORY, "got ", range->bytes,
            " bytes of registered memory; need at most ", most, " to map them.");
    auto made = std::make_shared<MappedHost>(process().device.memory, range->base,
                                             range->bytes);
    require(made->device != 0, CUDA_ERROR_OUT_OF_MEMORY, "got ", range->bytes,
            " bytes of registered memory; need less to map them.");
    range->mapped = std::move(made);
  }
  return range->mapped->device + (address - range->base);
}

void agree_with_host() {
  if (!MappedHost::any()) return;
  std::vector<std::shared_ptr<MappedHost>> all;
  {
    std::lock_guard lock(process().registered_mutex);
    for (const auto& [base, range] : process().registered) {
      if (range.mapped != nullptr) all.push_back(range.mapped);
    }
  }
  for (const auto& one : all) one->agree();
}

bool is_pinned(uint64_t address, size_t bytes) {
  Process& all = process();
  if (all.device.memory.contains(address)) return true;
  std::lock_guard lock(all.registered_mutex);
  const auto after = all.registered.upper_bound(address);
  if (after == all.registered.begin()) return false;
  const auto& [base, range] = *std::prev(after);
  return address + bytes <= base + range.bytes;
}

}  // namespace minitorch::libcuda

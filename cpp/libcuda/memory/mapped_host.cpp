// Owns the two copies of registered memory.
#include "libcuda/memory/mapped_host.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "libcuda/contexts/process.h"

namespace minitorch::libcuda {
namespace {

std::atomic<uint64_t> mapped{0};  // ranges

/// Moves bytes between this process's memory and itself: false, not a crash, where the
/// client's is gone.
bool move_safely(uint64_t host, void* own, uint64_t bytes, bool to_host) {
  iovec local{own, bytes}, remote{reinterpret_cast<void*>(host), bytes};
  const ssize_t moved = to_host ? process_vm_writev(getpid(), &local, 1, &remote, 1, 0)
                                : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (moved >= 0) return static_cast<uint64_t>(moved) == bytes;
  if (errno != EPERM && errno != ENOSYS) return false;
  std::memcpy(to_host ? remote.iov_base : own, to_host ? own : remote.iov_base, bytes);
  return true;
}

/// The first byte from `at` on that differs; `end` without.
uint64_t first_difference(const uint8_t* a, const uint8_t* b, uint64_t at,
                          uint64_t end) {
  constexpr uint64_t kBlock = 256;
  while (at + kBlock <= end && std::memcmp(a + at, b + at, kBlock) == 0) at += kBlock;
  while (at < end && a[at] == b[at]) ++at;
  return at;
}

/// The range of a process's that holds `address`; with its lock.
Process::Registered* registered_at(uint64_t address) {
  auto& all = process().registered;
  const auto after = all.upper_bound(address);
  if (after == all.begin()) return nullptr;
  auto& [base, range] = *std::prev(after);
  return address - base < range.bytes ? &range : nullptr;
}

}  // namespace

MappedHost::MappedHost(Memory& memory, uint64_t host, uint64_t bytes)
    : host(host),
      bytes(bytes),
      device(memory.allocate(bytes, Allocation::Kind::Host)),
      memory_(memory),
      agreed_(bytes),
      now_(bytes) {
  if (device == 0) return;
  std::memset(reinterpret_cast<void*>(device), 0, bytes);
  memory_.mark_written(device, bytes);  // what the host writes cannot be seen
  ++mapped;
  agree();
}

MappedHost::~MappedHost() {
  if (device == 0) return;
  --mapped;
  memory_.release(device);
}

void MappedHost::agree() {
  std::lock_guard lock(mutex_);
  if (!move_safely(host, now_.data(), bytes, false)) return;
  auto* const kernels = reinterpret_cast<uint8_t*>(device);
  uint8_t* const agreed = agreed_.data();
  const auto next = [&](const uint8_t* side, uint64_t at) {
    return first_difference(side, agreed, at, bytes);
  };
  for (uint64_t at = next(now_.data(), 0); at < bytes; at = next(now_.data(), at)) {
    for (; at < bytes && now_[at] != agreed[at]; ++at) {
      kernels[at] = agreed[at] = now_[at];
    }
  }
  for (uint64_t at = next(kernels, 0); at < bytes; at = next(kernels, at)) {
    const uint64_t begin = at;
    for (; at < bytes && kernels[at] != agreed[at]; ++at) agreed[at] = kernels[at];
    if (!move_safely(host + begin, agreed + begin, at - begin, true)) return;
  }
}

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
  if (mapped.load(std::memory_order_relaxed) == 0) return;
  std::vector<std::shared_ptr<MappedHost>> all;
  {
    std::lock_guard lock(process().registered_mutex);
    for (const auto& [base, range] : process().registered) {
      if (range.mapped != nullptr) all.push_back(range.mapped);
    }
  }
  for (const auto& one : all) one->agree();
}

}  // namespace minitorch::libcuda

#include "libcuda/memory/mapped_host.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace minitorch::libcuda {
namespace {

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
  ++count_;
  agree();
}

MappedHost::~MappedHost() {
  if (device == 0) return;
  --count_;
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

}  // namespace minitorch::libcuda

// Host memory for storages: blocks of a few sizes, kept for reuse after their release.
#pragma once

#include <cstddef>

namespace minitorch::array {

/// `bytes` of uninitialised memory, aligned to 64 bytes; MemoryError if the host has
/// none. Any thread may give it back. Released blocks are kept, so that a large result
/// does not have every page of it faulted in anew; at most a quarter more than the
/// largest use so far is held from the system.
void* allocate_host(size_t bytes);
void free_host(void* block, size_t bytes) noexcept;

struct HostMemory {
  size_t in_use;       // bytes of blocks that are handed out
  size_t peak_in_use;  // largest `in_use` since the last reset
  size_t cached;       // bytes that are kept for reuse
  size_t requests;     // blocks asked of the system, ever
};
HostMemory host_memory();
void reset_peak_host_memory();

/// Gives kept blocks back to the system (of other threads, only the large ones).
void release_cached_host_memory();

}  // namespace minitorch::array

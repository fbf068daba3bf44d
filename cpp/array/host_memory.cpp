#include "array/host_memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include "base/error.h"
#include "base/memory_watch.h"
#include "base/text.h"

namespace minitorch::array {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeep = false;  // so that the sanitizer sees each block's life
#else
constexpr bool kKeep = true;
#endif

// Block sizes: multiples of 64 bytes up to 1 KiB, then eight for each power of two, so
// that at most an eighth of a block is unused.
constexpr size_t kStep = 64, kSteps = 16, kPerDoubling = 8, kFirstExponent = 10;
constexpr size_t kClasses = kSteps + (62 - kFirstExponent) * kPerDoubling + 1;
constexpr size_t kHugePage = size_t{1} << 21;
constexpr size_t kAlwaysKept = size_t{64} << 20;

// Small blocks wait in their thread first, so that most requests take no lock.
constexpr size_t kLocalClasses = kSteps + 5 * kPerDoubling + 1;  // up to 32 KiB
constexpr size_t kLocalBlocks = 16;

struct SizeClass {
  size_t index, bytes;
};

SizeClass class_of(size_t bytes) {
  if (bytes <= kStep * kSteps) {
    const size_t steps = std::max<size_t>(1, (bytes + kStep - 1) / kStep);
    return {steps, steps * kStep};
  }
  const auto exponent = static_cast<size_t>(std::bit_width(bytes - 1)) - 1;
  const size_t step = (size_t{1} << exponent) / kPerDoubling;
  const size_t part = (bytes - (size_t{1} << exponent) + step - 1) / step;  // 1 to 8
  return {kSteps + (exponent - kFirstExponent) * kPerDoubling + part,
          (size_t{1} << exponent) + part * step};
}

size_t bytes_of(size_t index) {
  if (index <= kSteps) return index * kStep;
  const size_t doublings = (index - kSteps - 1) / kPerDoubling;
  const size_t part = (index - kSteps - 1) % kPerDoubling + 1;
  const size_t base = size_t{1} << (kFirstExponent + doublings);
  return base + part * (base / kPerDoubling);
}

std::align_val_t alignment_of(size_t bytes) {
  return std::align_val_t{bytes >= 2 * kHugePage ? kHugePage : kStep};
}

std::atomic<size_t> in_use{0}, peak{0}, from_system{0}, requests{0};

/// What all threads share. Leaked: blocks may come back while the process ends.
struct Shared {
  std::mutex mutex;
  std::array<std::vector<void*>, kClasses> free;
};

Shared& shared() {
  static auto* made = [] {
    auto* blocks = new Shared();
    // A child of fork() must not find the lock held by a thread that it lacks.
    pthread_atfork([] { shared().mutex.lock(); }, [] { shared().mutex.unlock(); },
                   [] { shared().mutex.unlock(); });
    return blocks;
  }();
  return *made;
}

void to_system(void* block, size_t bytes) noexcept {
  ::operator delete(block, alignment_of(bytes));
  from_system.fetch_sub(bytes, std::memory_order_relaxed);
}

/// Gives the largest kept blocks back until `bytes` are; the lock is held.
void trim(Shared& blocks, size_t bytes) noexcept {
  for (size_t i = kClasses; i-- > 0 && bytes > 0;) {
    auto& list = blocks.free[i];
    const size_t size = list.empty() ? 0 : bytes_of(i);
    while (!list.empty() && bytes > 0) {
      to_system(list.back(), size);
      list.pop_back();
      bytes -= std::min(bytes, size);
    }
  }
}

void* ask_system(size_t bytes) {
  const size_t held = from_system.load(std::memory_order_relaxed) + bytes;
  const size_t most = std::max(peak.load(std::memory_order_relaxed),
                               in_use.load(std::memory_order_relaxed) + bytes);
  const size_t allowed = std::max(most + most / 4, kAlwaysKept);
  Shared& blocks = shared();
  if (held > allowed) {
    const std::lock_guard lock(blocks.mutex);
    trim(blocks, held - allowed);
  }
  void* block = ::operator new(bytes, alignment_of(bytes), std::nothrow);
  if (!block) {
    const std::lock_guard lock(blocks.mutex);
    trim(blocks, held);
    block = ::operator new(bytes, alignment_of(bytes), std::nothrow);
  }
  if (!block) return nullptr;
  if (bytes >= 2 * kHugePage) madvise(block, bytes, MADV_HUGEPAGE);
  from_system.fetch_add(bytes, std::memory_order_relaxed);
  requests.fetch_add(1, std::memory_order_relaxed);
  return block;
}

/// The lists of one thread. Its destructor runs before those of other objects of the
/// thread may free their last blocks: `ended` outlives it.
thread_local bool ended = false;
struct Local {
  struct List {
    size_t count = 0;
    void* blocks[kLocalBlocks];
  };
  std::array<List, kLocalClasses> lists;

  ~Local() {
    ended = true;
    release();
  }
  void release() noexcept {
    for (size_t i = 0; i < kLocalClasses; ++i) {
      List& list = lists[i];
      while (list.count > 0) to_system(list.blocks[--list.count], bytes_of(i));
    }
  }
};
thread_local Local local;

void* take(const SizeClass& size) {
  if (size.index < kLocalClasses && !ended) {
    auto& list = local.lists[size.index];
    if (list.count > 0) return list.blocks[--list.count];
  }
  Shared& blocks = shared();
  {
    const std::lock_guard lock(blocks.mutex);
    auto& list = blocks.free[size.index];
    if (!list.empty()) {
      void* block = list.back();
      list.pop_back();
      return block;
    }
  }
  return ask_system(size.bytes);
}

void tell(const void* block, int64_t bytes, size_t allocated) noexcept {
  base::tell_memory({reinterpret_cast<uintptr_t>(block), bytes, false, allocated,
                     from_system.load(std::memory_order_relaxed)});
}

}  // namespace

void* allocate_host(size_t bytes) {
  const bool known = bytes <= size_t{1} << 61;  // beyond it, no class
  const SizeClass size = known ? class_of(bytes) : SizeClass{0, bytes};
  void* block = known ? take(size) : nullptr;
  if (!block) {
    throw base::MemoryError("tensor",
                            base::text("got a request for ", bytes,
                                       " bytes; the host has no room for so many."));
  }
  const size_t now =
      in_use.fetch_add(size.bytes, std::memory_order_relaxed) + size.bytes;
  size_t highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
  tell(block, static_cast<int64_t>(size.bytes), now);
  return block;
}

void free_host(void* block, size_t bytes) noexcept {
  const SizeClass size = class_of(bytes);
  const size_t before = in_use.fetch_sub(size.bytes, std::memory_order_relaxed);
  tell(block, -static_cast<int64_t>(size.bytes), before - size.bytes);
  if (!kKeep) return to_system(block, size.bytes);
  if (size.index < kLocalClasses && !ended) {
    auto& list = local.lists[size.index];
    if (list.count < kLocalBlocks) {
      list.blocks[list.count++] = block;
      return;
    }
  }
  Shared& blocks = shared();
  try {
    const std::lock_guard lock(blocks.mutex);
    blocks.free[size.index].push_back(block);
  } catch (const std::bad_alloc&) {
    to_system(block, size.bytes);
  }
}

HostMemory host_memory() {
  const size_t used = in_use.load(std::memory_order_relaxed);
  const size_t held = from_system.load(std::memory_order_relaxed);
  return {used, peak.load(std::memory_order_relaxed), held > used ? held - used : 0,
          requests.load(std::memory_order_relaxed)};
}

void reset_peak_host_memory() { peak.store(in_use.load()); }

void release_cached_host_memory() {
  if (!ended) local.release();
  Shared& blocks = shared();
  const std::lock_guard lock(blocks.mutex);
  trim(blocks, from_system.load(std::memory_order_relaxed));
}

}  // namespace minitorch::array

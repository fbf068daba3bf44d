#include "simt/memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <new>

#include "simt/memory/free_ranges.h"

namespace minitorch::simt {
namespace {

constexpr uint64_t kAlignment = 512;
constexpr uint64_t kRedZone = 256;
/// Smaller ranges are used again soon; giving their pages back would cost more than it
/// saves.
constexpr uint64_t kGiveBack = 16 * kPage;
/// Large arrays are walked from end to end: pages of 2 MiB save faults and lookups.
constexpr uint64_t kHugePage = Memory::kMapUnit;
constexpr uint64_t kCommitStep = uint64_t{64} << 20;
constexpr size_t kQuarantineEntries = 512;
/// What the device's malloc aligns to and counts in (CUDA C++ Programming Guide,
/// Dynamic Global Memory Allocation).
constexpr uint64_t kHeapUnit = 16;

/// Memory of the host and the kernels' heap have limits of their own.
bool counts(Allocation::Kind kind) {
  return kind != Allocation::Kind::Host && kind != Allocation::Kind::Heap;
}

uint64_t round_up(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

/// As cards do: programs build their own pools on it.
uint64_t alignment_of(uint64_t size) {
  constexpr uint64_t kLarge = uint64_t{64} << 10;
  if (size >= kHugePage) return kHugePage;
  return size >= kLarge ? kPage : kAlignment;
}

uint64_t reserve(uint64_t size, int protection) {
  void* range = mmap(nullptr, size, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(range);
}

/// The same, beginning at a multiple of kHugePage.
uint64_t reserve_aligned(uint64_t size, int protection) {
  const uint64_t base = reserve(size + kHugePage, protection);
  if (base == 0) return 0;
  const uint64_t first = round_up(base, kHugePage);
  if (first > base) munmap(reinterpret_cast<void*>(base), first - base);
  munmap(reinterpret_cast<void*>(first + size), base + kHugePage - first);
  return first;
}

void prefer_huge_pages(uint64_t base, uint64_t size) {
  const uint64_t first = round_up(base, kHugePage);
  const uint64_t last = (base + size) / kHugePage * kHugePage;
  if (last > first) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}

}  // namespace

struct Memory::State {
  struct Block {
    Allocation allocation;
    uint64_t bytes = 0;   // as asked for in `allocate`
    uint64_t length = 0;  // with alignment and red zone
    bool released = false;
    bool piece = false;  // of a range: its addresses and bytes are others' business
  };

  State(uint64_t base, uint64_t size) : free(base, size), committed(base) {}

  mutable std::mutex mutex;
  FreeRanges free;
  std::map<uint64_t, Block> blocks;  // live and quarantined, by base
  std::deque<uint64_t> quarantine;   // bases, oldest first
  uint64_t quarantined = 0;          // bytes of address space
  uint64_t committed;                // everything below may be read and written
  uint64_t used = 0, peak = 0, serial = 0;
  uint64_t heap = 0;  // bytes that kernels hold, by kHeapUnit
  mutable std::shared_ptr<const AllocationTable> table;  // null: to be rebuilt

  Block* find(uint64_t base) {
    const auto it = blocks.find(base);
    const bool own = it != blocks.end() && !it->second.released && !it->second.piece;
    return own ? &it->second : nullptr;
  }
  Block* holding(uint64_t address) {
    const auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) return nullptr;
    Block& block = std::prev(after)->second;
    const bool inside = address - block.allocation.base < block.bytes;
    return inside && !block.released ? &block : nullptr;
  }
  void forget_oldest() {
    const auto it = blocks.find(quarantine.front());
    quarantine.pop_front();
    quarantined -= it->second.length;
    free.give(it->first, it->second.length);
    blocks.erase(it);
    table.reset();
  }
  uint64_t take(uint64_t length, uint64_t alignment) {
    uint64_t base = free.take(length, alignment);
    while (base == 0 && !quarantine.empty()) {
      forget_oldest();
      base = free.take(length, alignment);
    }
    // Where address space is short, room counts for more.
    return base != 0 ? base : free.take(length, kAlignment);
  }
  bool commit(uint64_t end, uint64_t arena_end) {
    if (end <= committed) return true;
    const uint64_t upto =
        std::min(arena_end, committed + round_up(end - committed, kCommitStep));
    if (mprotect(reinterpret_cast<void*>(committed), upto - committed,
                 PROT_READ | PROT_WRITE) != 0) {
      return false;
    }
    committed = upto;
    return true;
  }
};

Memory::Memory(uint64_t capacity) : capacity_(round_up(capacity, kPage)) {
  // Address space costs nothing: four times the capacity keeps fragmentation and
  // quarantine out of the way. Where address space is limited, less must do.
  for (uint64_t factor = 4; factor >= 1 && init_bits_ == nullptr; factor /= 2) {
    arena_size_ =
        round_up(capacity_ * factor + capacity_ / 2, kCommitStep) + kCommitStep;
    arena_base_ = reserve_aligned(arena_size_, PROT_NONE);
    if (arena_base_ == 0) continue;
    init_bits_ =
        reinterpret_cast<uint8_t*>(reserve(arena_size_ / 8, PROT_READ | PROT_WRITE));
    if (init_bits_ == nullptr) {
      munmap(reinterpret_cast<void*>(arena_base_), arena_size_);
    }
  }
  if (init_bits_ == nullptr) throw std::bad_alloc();
  // The first page stays free, so that an access before the first allocation is inside.
  state_ = std::make_unique<State>(arena_base_ + kPage, arena_size_ - kPage);
  state_->committed = arena_base_;
}

Memory::~Memory() {
  munmap(reinterpret_cast<void*>(arena_base_), arena_size_);
  munmap(init_bits_, arena_size_ / 8);
}

uint64_t Memory::allocate(uint64_t size, Allocation::Kind kind) {
  std::lock_guard lock(state_->mutex);
  return allocate_locked(size, kind);
}

uint64_t Memory::allocate_locked(uint64_t size, Allocation::Kind kind) {
  if (size == 0 || size > arena_size_) return 0;
  const bool counted = counts(kind);
  const uint64_t rounded = round_up(size, kAlignment);
  if (counted && rounded > capacity_ - state_->used) return 0;
  const uint64_t length = round_up(size + kRedZone, kAlignment);
  const uint64_t base = state_->take(length, alignment_of(size));
  if (base == 0) return 0;
  if (!state_->commit(base + length, arena_base_ + arena_size_)) {
    state_->free.give(base, length);
    return 0;
  }
  prefer_huge_pages(base, size);
  if (counted) {
    state_->used += rounded;
    state_->peak = std::max(state_->peak, state_->used);
  }
  State::Block block{{base, size, ++state_->serial, kind, true, {}}, size, length};
  state_->blocks.emplace(base, std::move(block));
  state_->table.reset();
  return base;
}

bool Memory::release(uint64_t base) {
  std::lock_guard lock(state_->mutex);
  return release_locked(base);
}

uint64_t Memory::allocate_heap(uint64_t size, uint64_t limit) {
  std::lock_guard lock(state_->mutex);
  if (size > limit || round_up(size, kHeapUnit) > limit - std::min(limit, state_->heap))
    return 0;
  const uint64_t base = allocate_locked(size, Allocation::Kind::Heap);
  if (base == 0) return 0;
  state_->heap += round_up(size, kHeapUnit);
  state_->find(base)->allocation.label = kDeviceMalloc;
  has_heap_.store(true, std::memory_order_relaxed);
  return base;
}

bool Memory::release_heap(uint64_t base) {
  std::lock_guard lock(state_->mutex);
  const State::Block* block = state_->find(base);
  if (block == nullptr || block->allocation.kind != Allocation::Kind::Heap) {
    return false;
  }
  return release_locked(base);
}

void Memory::release_heap() {
  std::lock_guard lock(state_->mutex);
  std::vector<uint64_t> held;
  for (const auto& [base, block] : state_->blocks) {
    const bool heap = block.allocation.kind == Allocation::Kind::Heap;
    if (heap && !block.released) held.push_back(base);
  }
  for (const uint64_t base : held) release_locked(base);
}

bool Memory::find_heap(uint64_t address, Allocation& found) const {
  if (!has_heap_.load(std::memory_order_relaxed)) return false;
  std::lock_guard lock(state_->mutex);
  const auto after = state_->blocks.upper_bound(address);
  if (after == state_->blocks.begin()) return false;
  const Allocation& allocation = std::prev(after)->second.allocation;
  if (allocation.kind != Allocation::Kind::Heap) return false;
  if (address - allocation.base >= allocation.size) return false;
  found = allocation;
  return true;
}

bool Memory::release_locked(uint64_t base) {
  State::Block* block = state_->find(base);
  if (block == nullptr) return false;
  mark_undefined(base, block->bytes);
  const uint64_t first = round_up(base, kPage);
  const uint64_t last = (base + block->bytes) / kPage * kPage;
  if (last > first && last - first >= kGiveBack) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  if (counts(block->allocation.kind)) {
    state_->used -= round_up(block->bytes, kAlignment);
  }
  if (block->allocation.kind == Allocation::Kind::Heap) {
    state_->heap -= round_up(block->bytes, kHeapUnit);
  }
  block->released = true;
  block->allocation.live = false;
  state_->quarantine.push_back(base);
  state_->quarantined += block->length;
  while (state_->quarantine.size() > kQuarantineEntries ||
         state_->quarantined > arena_size_ / 4) {
    state_->forget_oldest();
  }
  state_->table.reset();
  return true;
}

void Memory::clear(uint64_t address, uint64_t size) {
  auto* const bytes = reinterpret_cast<uint8_t*>(address);
  const uint64_t first = round_up(address, kPage),
                 last = (address + size) / kPage * kPage;
  const bool pages =
      last > first && last - first >= kGiveBack &&
      madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) == 0;
  if (!pages) {
    std::memset(bytes, 0, size);
    return;
  }
  std::memset(bytes, 0, first - address);
  std::memset(reinterpret_cast<void*>(last), 0, address + size - last);
}

bool Memory::set_extent(uint64_t base, uint64_t size) {
  std::lock_guard lock(state_->mutex);
  State::Block* block = state_->find(base);
  if (block == nullptr || size > block->bytes) return false;
  mark_undefined(base, block->bytes);
  block->allocation.size = size;
  block->allocation.live = true;
  block->allocation.serial = ++state_->serial;
  state_->table.reset();
  return true;
}

bool Memory::set_live(uint64_t base, bool live) {
  std::lock_guard lock(state_->mutex);
  State::Block* block = state_->find(base);
  if (block == nullptr) return false;
  block->allocation.live = live;
  state_->table.reset();
  return true;
}

bool Memory::set_label(uint64_t address, const std::string& label) {
  std::lock_guard lock(state_->mutex);
  State::Block* block = state_->holding(address);
  if (block == nullptr) return false;
  if (block->allocation.label == label) return true;
  block->allocation.label = label;
  state_->table.reset();
  return true;
}

bool Memory::holds(uint64_t address, uint64_t size) const {
  std::lock_guard lock(state_->mutex);
  const State::Block* block = state_->holding(address);
  return block != nullptr && size <= block->allocation.base + block->bytes - address;
}

uint64_t Memory::reserved(uint64_t base) const {
  std::lock_guard lock(state_->mutex);
  const State::Block* block = state_->find(base);
  return block == nullptr ? 0 : block->bytes;
}

uint64_t Memory::reserve_range(uint64_t size, uint64_t alignment) {
  if (size == 0 || size > arena_size_ || alignment > arena_size_) return 0;
  std::lock_guard lock(state_->mutex);
  const uint64_t length = size + kAlignment;  // with a red zone
  const uint64_t base = state_->free.take(length, std::max(alignment, kMapUnit));
  if (base == 0) return 0;
  if (!state_->commit(base + length, arena_base_ + arena_size_)) {
    state_->free.give(base, length);
    return 0;
  }
  return base;
}

void Memory::give_range_back(uint64_t base, uint64_t size) {
  std::lock_guard lock(state_->mutex);
  state_->free.give(base, size + kAlignment);
}

bool Memory::show(uint64_t address, const SharedPages& pages, uint64_t size) {
  const uint64_t bits =
      reinterpret_cast<uint64_t>(init_bits_) + (address - arena_base_) / 8;
  return pages.show_at(address, bits, size);
}

void Memory::hide(uint64_t address, uint64_t size) {
  const auto empty = [](uint64_t at, uint64_t bytes) {
    mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  };
  empty(address, size);
  empty(reinterpret_cast<uint64_t>(init_bits_) + (address - arena_base_) / 8, size / 8);
}

void Memory::set_reach(uint64_t base, uint64_t size, const std::vector<Piece>& pieces) {
  std::lock_guard lock(state_->mutex);
  auto& blocks = state_->blocks;
  std::map<uint64_t, Allocation> before;
  for (auto it = blocks.lower_bound(base);
       it != blocks.end() && it->first < base + size; it = blocks.erase(it)) {
    before.emplace(it->first, it->second.allocation);
  }
  for (const Piece& piece : pieces) {
    State::Block block;
    const auto same = before.find(piece.base);
    if (same != before.end()) block.allocation = same->second;
    block.allocation.base = piece.base;
    block.allocation.size = block.bytes = piece.size;
    block.allocation.kind =
        piece.writable ? Allocation::Kind::Device : Allocation::Kind::Constant;
    if (same == before.end()) block.allocation.serial = ++state_->serial;
    block.piece = true;
    blocks.emplace(piece.base, std::move(block));
  }
  state_->table.reset();
}

bool Memory::count(uint64_t bytes) {
  std::lock_guard lock(state_->mutex);
  if (bytes > capacity_ - state_->used) return false;
  state_->used += bytes;
  state_->peak = std::max(state_->peak, state_->used);
  return true;
}

void Memory::discount(uint64_t bytes) {
  std::lock_guard lock(state_->mutex);
  state_->used -= bytes;
}

std::shared_ptr<const AllocationTable> Memory::table() const {
  std::lock_guard lock(state_->mutex);
  if (state_->table == nullptr) {
    std::vector<Allocation> sorted;
    sorted.reserve(state_->blocks.size());
    for (const auto& [base, block] : state_->blocks) sorted.push_back(block.allocation);
    state_->table = std::make_shared<AllocationTable>(std::move(sorted));
  }
  return state_->table;
}

uint64_t Memory::used() const {
  std::lock_guard lock(state_->mutex);
  return state_->used;
}

uint64_t Memory::peak() const {
  std::lock_guard lock(state_->mutex);
  return state_->peak;
}

}  // namespace minitorch::simt

// Device memory: one reserved range of host addresses, the table of allocations in it,
// and one initialised-bit per byte.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simt/memory/shared_pages.h"

namespace minitorch::simt {

/// Bytes of a page of the host: what is mapped and given back at once.
inline constexpr uint64_t kPage = 4096;

/// Windows of the generic address space that are not memory of the arena. An address in
/// `.shared` or `.local` space is kSharedBase / kLocalBase + byte offset (fits 32 bits,
/// so that a 32-bit shared pointer works and a global pointer is caught as outside);
/// its generic form adds kSharedWindow / kLocalWindow. As on hardware a block's shared
/// memory begins at 0: programs without a name for it write [0] for its first byte.
inline constexpr uint64_t kSharedBase = 0;
inline constexpr uint64_t kLocalBase = 0x0800'0000;
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 56;
inline constexpr uint64_t kLocalWindow = uint64_t{2} << 56;
/// Addresses of functions (indirect calls): kFunctionWindow + function index.
inline constexpr uint64_t kFunctionWindow = uint64_t{3} << 56;

/// Generic addresses of own parameters (`cvta.param`): kParamWindow + byte offset.
/// NVRTC makes them of `__grid_constant__` arrays with a variable index, not always.
inline constexpr uint64_t kParamWindow = uint64_t{4} << 56;

inline constexpr const char* kDeviceMalloc = "device malloc";

struct Allocation {
  /// Host: pinned. Heap: what a kernel's malloc gave.
  enum class Kind : uint8_t { Device, Global, Constant, Host, Heap };
  uint64_t base = 0;
  uint64_t size = 0;  // bytes in use; accesses past it are out of bounds
  uint64_t serial = 0;
  Kind kind = Kind::Device;
  bool live = true;   // false: freed, kept (quarantined) so that its uses can be named
  std::string label;  // kDeviceMalloc for what a kernel's malloc gave

  uint64_t end() const { return base + size; }
};

/// An immutable view of all allocations, sorted by base; a launch takes one at its
/// start.
class AllocationTable {
 public:
  explicit AllocationTable(std::vector<Allocation> sorted);

  /// The live or freed allocation whose [base, base + size) holds `address`, or
  /// nullptr.
  const Allocation* find(uint64_t address) const;
  /// The allocation whose range is nearest to `address` (for messages), or nullptr.
  const Allocation* nearest(uint64_t address) const;
  const std::vector<Allocation>& all() const { return allocations_; }

 private:
  std::vector<Allocation> allocations_;
};

/// The device memory of one emulated card. Device addresses are host addresses inside
/// the arena, so executors read and write through plain pointers after a bounds check.
/// Between allocations lie red zones of at least 256 bytes. Thread-safe.
class Memory {
 public:
  /// What ranges are reserved and mapped in (cuMemGetAllocationGranularity).
  static constexpr uint64_t kMapUnit = uint64_t{2} << 20;

  /// `capacity`: bytes that may be allocated at once (cuMemGetInfo's total).
  explicit Memory(uint64_t capacity);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// A block of at least `size` bytes, never written; 0 when it does not fit into the
  /// capacity (which Host blocks do not count against). Aligned to 512, from 64 KiB on
  /// to 4,096 and from 2 MiB on to 2 MiB.
  uint64_t allocate(uint64_t size, Allocation::Kind kind = Allocation::Kind::Device);
  /// False when `base` is not the base of an allocation that may still be released. The
  /// range stays in the table as freed (quarantine, bounded) before its addresses are
  /// used again; its pages go back to the system at once.
  bool release(uint64_t base);
  /// A kernel's malloc: 0 when all that kernels hold would pass `limit` bytes. Counts
  /// against that limit alone, so that no kernel can take the card.
  uint64_t allocate_heap(uint64_t size, uint64_t limit);
  /// A kernel's free; false for what no malloc gave.
  bool release_heap(uint64_t base);
  /// Frees all that kernels hold.
  void release_heap();
  /// What a kernel's malloc gave, as it is now: launches change it while they run, and
  /// have a table that is older. False when `address` is in none.
  bool find_heap(uint64_t address, Allocation& found) const;
  /// From now on exactly `size` bytes are in use: live, undefined, with a new serial.
  /// False when `base` is no allocation's or `size` is more than was allocated.
  bool set_extent(uint64_t base, uint64_t size);
  bool set_live(uint64_t base, bool live);
  bool set_label(uint64_t address, const std::string& label);
  /// Bytes that `allocate` gave at `base` (set_extent does not change them); 0 if none.
  uint64_t reserved(uint64_t base) const;

  /// Whether [address, address + size) lies in one allocation, whatever its extent.
  bool holds(uint64_t address, uint64_t size) const;

  /// Makes [address, address + size) of an allocation zero. Untouched pages stay so:
  /// an array as large as the card costs nothing until a kernel uses it.
  static void clear(uint64_t address, uint64_t size);

  // Ranges of addresses whose memory comes and goes; all sizes and addresses are
  // multiples of kMapUnit.

  /// Addresses that hold nothing yet; 0 when there is no room.
  uint64_t reserve_range(uint64_t size, uint64_t alignment);
  void give_range_back(uint64_t base, uint64_t size);
  /// Part of a range shows the first `size` bytes of `pages`; false when the system
  /// refuses.
  bool show(uint64_t address, const SharedPages& pages, uint64_t size);
  void hide(uint64_t address, uint64_t size);
  /// A piece of a range that kernels and copies may use.
  struct Piece {
    uint64_t base = 0, size = 0;
    bool writable = true;
  };
  /// All of [base, base + size) but the pieces is out of reach from now on.
  void set_reach(uint64_t base, uint64_t size, const std::vector<Piece>& pieces);
  /// Counts bytes that are no allocation's as used; false when they do not fit.
  bool count(uint64_t bytes);
  void discount(uint64_t bytes);

  std::shared_ptr<const AllocationTable> table() const;
  uint64_t capacity() const { return capacity_; }
  uint64_t used() const;
  uint64_t peak() const;

  bool contains(uint64_t address) const { return address - arena_base_ < arena_size_; }
  uint64_t arena_base() const { return arena_base_; }
  uint64_t arena_size() const { return arena_size_; }

  // Initialised bits: bit (address - arena_base) of `init_bits()`; a set bit means
  // written. Bits lie in 64-bit words; whole words are stored, edges are or-ed
  // atomically, so that threads writing neighbouring bytes never lose a bit.
  uint8_t* init_bits() const { return init_bits_; }
  void mark_written(uint64_t address, uint64_t size) {
    const uint64_t first = address - arena_base_;
    const uint64_t shift = first % 64;
    if (shift + size <= 64 && size != 0) {  // most stores write bytes written before
      const uint64_t mask = (~uint64_t{0} >> (64 - size)) << shift;
      if ((std::atomic_ref(words()[first / 64]).load(std::memory_order_relaxed) &
           mask) == mask) {
        return;
      }
    }
    mark_written_slow(address, size);
  }
  void mark_undefined(uint64_t address, uint64_t size);
  bool is_written(uint64_t address, uint64_t size) const;
  /// Copies `size` bits as a device-to-device copy moves the bytes.
  void copy_bits(uint64_t destination, uint64_t source, uint64_t size);

 private:
  struct State;
  uint64_t* words() const { return reinterpret_cast<uint64_t*>(init_bits_); }
  void mark_written_slow(uint64_t address, uint64_t size);
  uint64_t allocate_locked(uint64_t size, Allocation::Kind kind);
  bool release_locked(uint64_t base);

  uint64_t capacity_;
  uint64_t arena_base_ = 0, arena_size_ = 0;
  std::atomic<bool> has_heap_{false};  // there was a malloc: find_heap must look
  uint8_t* init_bits_ = nullptr;
  std::unique_ptr<State> state_;
};

}  // namespace minitorch::simt

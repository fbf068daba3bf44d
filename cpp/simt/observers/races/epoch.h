// How an access of one thread is written down in 32 bits, and the shadow of a memory
// that is made of such epochs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace minitorch::simt {

/// 0: nobody. Else a number that grows from one interval between synchronisations to
/// the next, with the thread in its low bits:
/// shared memory: number in bits 10..30, warp in bits 5..9, lane in bits 0..4;
/// global memory: number in bits 5..30, lane in bits 0..4; a run of numbers is one
/// warp's.
using Epoch = uint32_t;

inline constexpr Epoch kLaneBits = 31, kWarpBits = 31 << 5, kSharedThreadBits = 1023;
/// In a second read: its warp (shared memory) or block (global memory) is not the first
/// read's, so that any writer is a stranger to one of the two.
inline constexpr Epoch kFar = Epoch{1} << 31;
inline constexpr uint32_t kGreatestSharedNumber = (1u << 21) - 2;
inline constexpr uint32_t kGreatestGlobalNumber = (1u << 26) - 64;

/// The number, in the shadow of shared memory, of the bytes that a cp.async will write
/// and has not been waited for: no barrier orders that, nor the thread's own program.
/// The thread is another one than that which has started the copy, so that no quick
/// test takes its epoch for its own.
inline constexpr Epoch kInFlight = (kGreatestSharedNumber + 1) << 10;

/// All accesses up to here: epochs of earlier ones are not greater.
struct Bound {
  Epoch shared = 0, global = 0;
};
inline void join(Bound& to, Bound from) {
  to.shared = std::max(to.shared, from.shared);
  to.global = std::max(to.global, from.global);
}
inline bool reaches(Bound bound, Epoch epoch, bool shared) {
  return epoch <= (shared ? bound.shared : bound.global);
}

/// Cells before the first and behind the last of a block's shared memory: 16 at a time
/// are looked at, those of idle lanes among them.
inline constexpr size_t kShadowMargin = 16;

/// Who used each cell of a memory last. Cells are as small as the program's smallest
/// access, at most 4 bytes. Arrays that nobody touches cost no memory.
struct RaceShadow {
  Epoch* write = nullptr;   // the last write
  Epoch* write2 = nullptr;  // one before it by another thread, not ordered before it
  Epoch* read = nullptr;    // two reads by different threads since the last
  Epoch* second = nullptr;  // write that was ordered behind all before
  uint64_t origin = 0, bytes = 0;
  uint32_t cell_shift = 2;
  Epoch thread_bits = kSharedThreadBits;
  Epoch old = 0;            // epochs up to this one are before all that runs
  Epoch low = 1, span = 0;  // so are those in [low, low + span)
  Epoch unwritten = 0;      // what was written in this block has epochs from here on
  bool has_write2 = false;  // any cell has
  bool slow = false;        // the quick tests of whole warps do not do
  bool careful = false;     // reads may be ordered by more than barriers and launches

  bool settled(Epoch epoch) const { return epoch <= old || epoch - low < span; }
  bool same_thread(Epoch a, Epoch b) const { return ((a ^ b) & thread_bits) == 0; }
  bool covers(uint64_t address, uint64_t size) const {
    return address - origin < bytes && size <= bytes - (address - origin);
  }
  uint64_t cell_of(uint64_t address) const { return (address - origin) >> cell_shift; }
};

}  // namespace minitorch::simt

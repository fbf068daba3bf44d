// The quick roads of the probe that looks for races: whole warps whose cells nobody
// else has used meanwhile. For the isa_*.cpp sources only.
#pragma once

#include <cstring>

#include "simt/lanes/rows.h"
#include "simt/observers/races/race_watch.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// As many epochs at a time as a register holds: longer vectors would be taken apart.
#if defined(__AVX512F__)
inline constexpr uint32_t kWide = 16;
#elif defined(__AVX2__)
inline constexpr uint32_t kWide = 8;
#else
inline constexpr uint32_t kWide = 4;
#endif
using Epochs [[gnu::vector_size(4 * kWide)]] = Epoch;
using Truth [[gnu::vector_size(4 * kWide)]] = int32_t;  // -1 or 0

inline constexpr Truth kAllTrue = ~Truth{};

[[gnu::always_inline]] inline Epochs load_epochs(const Epoch* from) {
  Epochs epochs;
  std::memcpy(&epochs, from, sizeof epochs);
  return epochs;
}
[[gnu::always_inline]] inline void store_epochs(Epoch* to, const Epochs& epochs) {
  std::memcpy(to, &epochs, sizeof epochs);
}

[[gnu::always_inline]] inline Epochs choose(const Truth& which, const Epochs& yes,
                                            const Epochs& no) {
  const Epochs mask = reinterpret_cast<Epochs>(which);
  return (mask & yes) | (~mask & no);
}

[[gnu::always_inline]] inline bool all_true(const Truth& truth) {
#if defined(__AVX512F__)
  const __m512i bits = reinterpret_cast<__m512i>(truth);
  return _mm512_cmpeq_epi32_mask(bits, _mm512_setzero_si512()) == 0;
#elif defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(truth)) == -1;
#else
  int32_t all = -1;
  for (uint32_t i = 0; i < kWide; ++i) all &= truth[i];
  return all != 0;
#endif
}

/// The epochs of lanes that use kCells cells each: row v of kWide cells of the lanes
/// from that of epoch `zero` on.
template <uint32_t kCells>
[[gnu::always_inline]] inline Epochs lanes_of(Epoch zero, uint32_t v) {
  Epochs cell;
  for (uint32_t i = 0; i < kWide; ++i) cell[i] = i;
  return (cell + kWide * v) / kCells + zero;
}

// The roads that most accesses go: all lanes, cells of 4 bytes, nobody else since the
// last barrier, or readers of whom two are remembered.
template <bool kShared, bool kLoad, uint32_t kCells>
struct Quick {
  static constexpr uint32_t kRows = 16 * kCells / kWide;  // of a half-warp's cells

  struct Limits {
    Epoch unwritten, old, low, span;
    // Of one epoch or of a vector of them.
    template <class S>
    [[gnu::always_inline]] auto settled(const S& epoch) const {
      if constexpr (kShared) {
        return epoch <= old;
      } else {
        return (epoch <= old) | (epoch - low < span);
      }
    }
    template <class S>
    [[gnu::always_inline]] auto readable(const S& epoch) const {
      if constexpr (kShared) {
        return (epoch <= old) & (epoch >= unwritten);
      } else {
        return settled(epoch);
      }
    }
  };

  /// One step; its epoch is looked up when it is first asked for.
  struct Access {
    Context& state;
    const Step* step;
    bool asked = false;
    Epoch zero = 0;  // lane 0's
    [[gnu::always_inline]] Epoch epoch() {
      if (!asked) zero = detector_of(state).history().epoch(state, step, kShared);
      asked = true;
      return zero;
    }
  };

  // How the cells of a half-warp lie: one lane's cells for all lanes, cell after cell,
  // each lane's cells `pitch` cells behind those of the lane before, or anyhow.
  enum class Lie { Same, Dense, Apart, Any };

  template <Lie kLie>
  struct Cells {
    static constexpr uint32_t kCount = kLie == Lie::Same ? kCells : 16 * kCells;
    uint64_t begin, pitch;
    const uint64_t* starts;  // of each lane, where they lie anyhow
    uint32_t mask;           // lanes that execute
    [[gnu::always_inline]] bool skips(uint32_t j) const {
      return kLie == Lie::Any && (mask >> lane(j) & 1) == 0;
    }
    [[gnu::always_inline]] uint64_t operator[](uint32_t j) const {
      if (kLie == Lie::Any) return starts[j / kCells] + j % kCells;
      if (kLie != Lie::Apart) return begin + j;
      return begin + j / kCells * pitch + j % kCells;
    }
    [[gnu::always_inline]] static uint32_t lane(uint32_t j) {
      return kLie == Lie::Same ? 0 : j / kCells;
    }
  };

  template <Lie kLie>
  [[gnu::always_inline]] static bool read(RaceShadow& shadow, const Limits& limits,
                                          const Cells<kLie>& cells, Access& access,
                                          uint32_t half) {
    constexpr uint32_t kCount = Cells<kLie>::kCount;
    uint32_t bad = 0, open = 0;
    for (uint32_t j = 0; j < kCount; ++j) {
      if (cells.skips(j)) continue;
      bad |= limits.readable(shadow.write[cells[j]]) ? 0 : 1;
    }
    if (bad) return false;
    const Epoch enough = kFar | limits.old;
    for (uint32_t j = 0; j < kCount; ++j) {
      if (cells.skips(j)) continue;
      open |= shadow.second[cells[j]] > enough ? 0 : 1;
    }
    if (!open) return true;
    if (knows_more(access.state, limits)) return false;
    keep<kLie>(shadow, limits, cells, access, half);
    return true;
  }

  /// __syncwarp() has ordered more than barriers have.
  [[gnu::always_inline]] static bool knows_more(const Context& state,
                                                const Limits& limits) {
    if (!kShared) return false;
    const WarpRaces& warp = races_of(*state.block).warps[state.warp->index];
    return warp.synced.shared > limits.old || warp.lanes;
  }

  /// Remembers each read as one of two, as Run::keep_reads. Where all lanes of a half
  /// read one cell, two of them are.
  template <Lie kLie>
  [[gnu::always_inline]] static void keep(RaceShadow& shadow, const Limits& limits,
                                          const Cells<kLie>& cells, Access& access,
                                          uint32_t half) {
    const Epoch zero = access.epoch();
    if (zero == 0) return;
    Epoch *const firsts = shadow.read, *const seconds = shadow.second;
    const Epoch thread_bits = shadow.thread_bits;
    // In order: several lanes may read one cell.
    for (uint32_t j = 0; j < Cells<kLie>::kCount; ++j) {
      if (cells.skips(j)) continue;
      Epoch &first = firsts[cells[j]], &second = seconds[cells[j]];
      const Epoch me = zero + 16 * half + cells.lane(j), a = first, was = second;
      const Epoch b = was & ~kFar;
      const bool free = limits.settled(a) | (((a ^ me) & thread_bits) == 0);
      const bool free2 = limits.settled(b);
      const bool near = kShared ? ((a ^ me) & kWarpBits) == 0 : a >= limits.low;
      const bool take = free2 | (((was & kFar) == 0) & (!near));
      first = free ? me : a;
      const Epoch next = kLie == Lie::Same && free
                             ? (free2 ? me + 1 : was)
                             : ((!free) & take ? me | (near ? 0 : kFar) : was);
      if (next != was) second = next;  // pages that stay as they are cost no memory
    }
  }

  template <Lie kLie>
  [[gnu::always_inline]] static bool write(RaceShadow& shadow, const Limits& limits,
                                           const Cells<kLie>& cells, Access& access,
                                           uint32_t half) {
    constexpr uint32_t kCount = Cells<kLie>::kCount;
    uint32_t bad = 0;
    for (uint32_t j = 0; j < kCount; ++j) {
      if (cells.skips(j)) continue;
      const uint64_t at = cells[j];
      bad |= limits.settled(shadow.write[at]) & limits.settled(shadow.read[at]) &
                     limits.settled(shadow.second[at] & ~kFar)
                 ? 0
                 : 1;
    }
    if (bad) return false;
    const Epoch zero = access.epoch();
    if (zero == 0) return true;
    for (uint32_t j = 0; j < kCount; ++j) {
      if (cells.skips(j)) continue;
      const uint64_t at = cells[j];
      // Another lane has just written it.
      if (kLie == Lie::Any && !limits.settled(shadow.write[at])) return false;
      shadow.write[at] = zero + 16 * half + cells.lane(j);
    }
    return true;
  }

  /// Lanes of row v that do not execute, where each uses one cell.
  template <bool kFull>
  [[gnu::always_inline]] static Truth idle_lanes(const Access& access, uint32_t half,
                                                 uint32_t v) {
    if constexpr (kFull) return Truth{};
    Truth executing;
    std::memcpy(&executing, access.state.lanes + 16 * half + kWide * v,
                sizeof executing);
    return ~executing;
  }

  /// The same for cells that lie one after the other, kWide at a time. What is kept of
  /// idle lanes' cells is written back as it was, so these are of shared memory only.
  template <bool kFull>
  [[gnu::always_inline]] static bool read_dense(RaceShadow& shadow,
                                                const Limits& limits, int64_t cell,
                                                Access& access, uint32_t half) {
    Truth fine = kAllTrue, closed = kAllTrue;
    const Epoch enough = kFar | limits.old;
    for (uint32_t v = 0; v < kRows; ++v) {
      const Truth idle = idle_lanes<kFull>(access, half, v);
      fine &= limits.readable(load_epochs(shadow.write + cell + kWide * v)) | idle;
      closed &= (load_epochs(shadow.second + cell + kWide * v) > enough) | idle;
    }
    if (!all_true(fine)) return false;
    if (all_true(closed)) return true;
    if (knows_more(access.state, limits)) return false;
    const Epoch zero = access.epoch();
    if (zero == 0) return true;
    for (uint32_t v = 0; v < kRows; ++v) {
      const Truth idle = idle_lanes<kFull>(access, half, v);
      Epoch* const first = shadow.read + cell + kWide * v;
      Epoch* const second = shadow.second + cell + kWide * v;
      const Epochs me = lanes_of<kCells>(zero + 16 * half, v);
      const Epochs a = load_epochs(first), was = load_epochs(second);
      const Truth same = ((a ^ me) & shadow.thread_bits) == 0;
      const Truth free = limits.settled(a) | same;
      store_epochs(first, choose(free & ~idle, me, a));
      if (all_true(free | idle)) continue;
      const Truth near = kShared ? ((a ^ me) & kWarpBits) == 0 : a >= limits.low;
      const Truth lone = ((was & kFar) == 0) & ~near;
      const Truth take = ~free & ~idle & (limits.settled(was & ~kFar) | lone);
      const Epochs far = reinterpret_cast<Epochs>(~near) & kFar;
      if (!all_true(~take)) store_epochs(second, choose(take, me | far, was));
    }
    return true;
  }

  template <bool kFull>
  [[gnu::always_inline]] static bool write_dense(RaceShadow& shadow,
                                                 const Limits& limits, int64_t cell,
                                                 Access& access, uint32_t half) {
    Truth fine = kAllTrue;
    for (uint32_t v = 0; v < kRows; ++v) {
      const Truth idle = idle_lanes<kFull>(access, half, v);
      const int64_t at = cell + kWide * v;
      fine &= (limits.settled(load_epochs(shadow.write + at)) &
               limits.settled(load_epochs(shadow.read + at)) &
               limits.settled(load_epochs(shadow.second + at) & ~kFar)) |
              idle;
    }
    const Epoch zero = access.epoch();
    if (!all_true(fine)) {
      return zero != 0 && write_own<kFull>(shadow, limits, cell, access, half);
    }
    if (zero == 0) return true;
    for (uint32_t v = 0; v < kRows; ++v) {
      const Truth idle = idle_lanes<kFull>(access, half, v);
      Epoch* const write = shadow.write + cell + kWide * v;
      const Epochs me = lanes_of<kCells>(zero + 16 * half, v);
      store_epochs(write, kFull ? me : choose(idle, load_epochs(write), me));
    }
    return true;
  }

  /// Threads write cells that only they have used since the last barrier.
  template <bool kFull>
  [[gnu::always_inline]] static bool write_own(RaceShadow& shadow, const Limits& limits,
                                               int64_t cell, Access& access,
                                               uint32_t half) {
    const Epoch zero = access.zero;
    Truth fine = kAllTrue, no_first = kAllTrue, no_second = kAllTrue;
    for (uint32_t v = 0; v < kRows; ++v) {
      const Truth idle = idle_lanes<kFull>(access, half, v);
      const int64_t at = cell + kWide * v;
      const Epochs me = lanes_of<kCells>(zero + 16 * half, v);
      const auto own = [&](const Epochs& epoch) {
        return limits.settled(epoch) | (((epoch ^ me) & shadow.thread_bits) == 0);
      };
      const Epochs first = load_epochs(shadow.read + at);
      const Epochs second = load_epochs(shadow.second + at);
      fine &= (own(load_epochs(shadow.write + at)) & own(first) & own(second & ~kFar)) |
              idle;
      no_first &= first == 0;
      no_second &= second == 0;
    }
    if (!all_true(fine)) return false;
    for (uint32_t v = 0; v < kRows; ++v) {
      const Truth idle = idle_lanes<kFull>(access, half, v);
      const auto put = [&](Epoch* to, const Epochs& epochs) {
        store_epochs(to, kFull ? epochs : choose(idle, load_epochs(to), epochs));
      };
      const int64_t at = cell + kWide * v;
      // Pages that stay as they are cost no memory.
      if (!all_true(no_first)) put(shadow.read + at, Epochs{});
      if (!all_true(no_second)) put(shadow.second + at, Epochs{});
      put(shadow.write + at, lanes_of<kCells>(zero + 16 * half, v));
    }
    return true;
  }

  template <bool kFull>
  [[gnu::always_inline]] static bool dense(RaceShadow& shadow, const Limits& limits,
                                           int64_t cell, Access& access,
                                           uint32_t half) {
    return kLoad ? read_dense<kFull>(shadow, limits, cell, access, half)
                 : write_dense<kFull>(shadow, limits, cell, access, half);
  }

  template <Lie kLie>
  [[gnu::always_inline]] static bool half_warp(RaceShadow& shadow, const Limits& limits,
                                               const Cells<kLie>& cells, Access& access,
                                               uint32_t half) {
    if constexpr (kLie == Lie::Dense) {
      return dense<true>(shadow, limits, static_cast<int64_t>(cells.begin), access,
                         half);
    } else if constexpr (kLoad) {
      return read<kLie>(shadow, limits, cells, access, half);
    } else {
      return write<kLie>(shadow, limits, cells, access, half);
    }
  }

  [[gnu::always_inline]] static Limits limits_of(const RaceShadow& shadow) {
    return {shadow.unwritten, shadow.old, shadow.low, shadow.span};
  }

  template <Lie kLie>
  [[gnu::always_inline]] static bool both_halves(Context& state, const Step* step,
                                                 const Pattern& pattern, uint64_t delta,
                                                 RaceShadow& shadow) {
    Access access = {state, step};
    const Limits limits = limits_of(shadow);
    constexpr uint32_t kSize = 4 * kCells;
    const uint64_t extent = 15 * uint64_t{pattern.stride} + kSize;
    for (uint32_t half = 0; half < 2; ++half) {
      const uint64_t at = pattern.base[half] + delta;
      if (!shadow.covers(at, extent)) return false;
      const Cells<kLie> cells = {(at - shadow.origin) / 4, pattern.stride / 4, nullptr,
                                 kFullMask};
      if (!half_warp<kLie>(shadow, limits, cells, access, half)) return false;
    }
    return true;
  }

  /// The executing lanes of each half-warp use cells of shared memory in their order;
  /// the row may hold anything in the other lanes.
  template <class A>
  [[gnu::noinline]] static bool some_dense(Context& state, const Step* step,
                                           uint64_t delta, RaceShadow& shadow) {
    Access access = {state, step};
    const Limits limits = limits_of(shadow);
    const auto* address = reinterpret_cast<const Row<A>*>(addresses<A>(state, step));
    for (uint32_t half = 0; half < 2; ++half, address += 16) {
      const uint32_t executing = state.mask >> 16 * half & 0xffff;
      if (executing == 0) continue;
      const uint32_t first = first_lane(executing);
      const A begin = address[first] - A{4} * first;
      A differs = 0;
      for (uint32_t i = 0; i < 16; ++i) {
        const auto on = static_cast<int32_t>(state.lanes[16 * half + i]);
        differs |= (address[i] - begin - A{4} * i) & static_cast<A>(on);
      }
      const uint32_t count = kLanes - __builtin_clz(executing) - first;
      const uint64_t at =
          static_cast<uint64_t>(static_cast<AddressOf<A>>(address[first])) + delta;
      if (differs != 0 || !shadow.covers(at, uint64_t{4} * count)) return false;
      // Idle lanes may be up to 15 cells before or behind: see kShadowMargin.
      const auto cell = static_cast<int64_t>((at - shadow.origin) / 4) - first;
      if (!dense<false>(shadow, limits, cell, access, half)) return false;
    }
    return true;
  }

  template <class A>
  [[gnu::noinline]] static bool anyhow(Context& state, const Step* step,
                                       const Pattern& pattern, uint64_t delta,
                                       RaceShadow& shadow) {
    Access access = {state, step};
    const Limits limits = limits_of(shadow);
    const AddressRow<A>* const address = addresses<A>(state, step);
    constexpr uint32_t kSize = 4 * kCells;
    if (!stays_within<A>(state, pattern, address, kSize, delta, shadow.origin,
                         shadow.origin + shadow.bytes)) {
      return false;
    }
    uint64_t starts[kLanes];
    for (uint32_t i = 0; i < kLanes; ++i) {
      starts[i] = (address[i] + delta - shadow.origin) / 4;
    }
    for (uint32_t half = 0; half < 2; ++half) {
      const Cells<Lie::Any> cells = {0, 0, starts + 16 * half, state.mask >> 16 * half};
      if (!half_warp<Lie::Any>(shadow, limits, cells, access, half)) return false;
    }
    return true;
  }

  template <class A, uint64_t kBias>
  static bool all(Context& state, const Step* step) {
    const Pattern& pattern = pattern_of<A>(state, step);
    const uint64_t delta = static_cast<uint64_t>(step->immediate) - kBias;
    constexpr uint32_t kSize = 4 * kCells;
    RaceShadow& shadow =
        kShared ? races_of(*state.block).shared : detector_of(state).history().global;
    if (((pattern.low_bits | delta) & (kSize - 1)) != 0 || shadow.slow) return false;
    if constexpr (kShared && kCells == 1) {
      if (state.partial && some_dense<A>(state, step, delta, shadow)) return true;
    }
    if (state.partial || !pattern.strided) {
      return anyhow<A>(state, step, pattern, delta, shadow);
    }
    if (pattern.stride == kSize) {
      return both_halves<Lie::Dense>(state, step, pattern, delta, shadow);
    }
    if (pattern.stride > kSize) {
      return both_halves<Lie::Apart>(state, step, pattern, delta, shadow);
    }
    if constexpr (kLoad) {
      if (pattern.stride == 0) {
        return both_halves<Lie::Same>(state, step, pattern, delta, shadow);
      }
    }
    return false;
  }

  template <class A, uint64_t kBias>
  static const Step* run(LaneState& state, const Step* step) {
    if (all<A, kBias>(context(state), step)) return step + 1;
    constexpr auto kSpace = kShared ? ptx::Space::Shared : ptx::Space::Global;
    return ProbeAccess<Watch>::template direct<A, kSpace, kBias>(state, step);
  }
};

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

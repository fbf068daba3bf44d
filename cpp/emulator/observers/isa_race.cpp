// Owns the probe that looks for races: tests whole warps at once, and gives to
// race_check.cpp the lanes whose cells somebody else may have used meanwhile.
#include "emulator/observers/probe_access.h"
#include "emulator/observers/race_detector.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

/// What a warp knows of stamps without looking into records.
template <bool kShared>
struct Known {
  Stamp old, low, span, unwritten, thread_bits, synced;

  bool before(Stamp stamp, Stamp mine) const {
    bool known = (stamp <= old) | (stamp - low < span);
    known |= ((stamp ^ mine) & thread_bits) == 0;
    if (kShared) known |= (((stamp ^ mine) & kWarpBits) == 0) & (stamp <= synced);
    return known;
  }
  /// One group: the warp in shared memory, the block in global memory.
  bool near(Stamp stamp, Stamp mine) const {
    return kShared ? ((stamp ^ mine) & kWarpBits) == 0 : stamp >= low;
  }
};

// Cell j of a run is used by the thread of stamp mine + (j >> shift).
template <bool kShared>
struct Run {
  Known<kShared> known;
  Stamp mine;
  uint32_t count, shift;

  bool all_before(const Stamp* stamps) const {
    uint32_t bad = 0;
    for (uint32_t j = 0; j < count; ++j) {
      bad |= !known.before(stamps[j], mine + (j >> shift));
    }
    return bad == 0;
  }
  bool all_written(const Stamp* stamps) const {
    uint32_t bad = 0;
    for (uint32_t j = 0; j < count; ++j) bad |= stamps[j] < known.unwritten;
    return bad == 0;
  }
  static uint32_t any(const Stamp* stamps, uint32_t count) {
    uint32_t bits = 0;
    for (uint32_t j = 0; j < count; ++j) bits |= stamps[j];
    return bits;
  }
  void set(Stamp* stamps) const {
    for (uint32_t j = 0; j < count; ++j) stamps[j] = mine + (j >> shift);
  }

  bool keep_reads(Stamp* first, Stamp* second, bool careful) const {
    if (all_before(first)) {
      set(first);
      return true;
    }
    // Which of them are still needed, records and fences must tell.
    if (careful) return false;
    MINITORCH_LANE_LOOP
    for (uint32_t j = 0; j < count; ++j) {
      const Stamp me = mine + (j >> shift), a = first[j], b = second[j] & ~kFar;
      const bool far_known = (second[j] & kFar) != 0;
      const bool free = known.before(a, me), free2 = known.before(b, me);
      const bool near = known.near(a, me);
      first[j] = free ? me : a;
      const bool take = (!free) & (free2 | ((!far_known) & (!near)));
      second[j] = take ? me | (near ? 0 : kFar) : second[j];
    }
    return true;
  }
  bool read(RaceShadow& shadow, uint64_t cell) const {
    if (!all_before(shadow.write + cell) || !all_written(shadow.write + cell)) {
      return false;
    }
    if (shadow.has_write2 && any(shadow.write2 + cell, count)) return false;
    return keep_reads(shadow.read + cell, shadow.second + cell, shadow.careful);
  }
  bool write(RaceShadow& shadow, uint64_t cell) const {
    Stamp *const first = shadow.read + cell, *const second = shadow.second + cell;
    if (!all_before(shadow.write + cell) || !all_before(first)) return false;
    if (shadow.has_write2 && any(shadow.write2 + cell, count)) return false;
    if (any(second, count)) {
      uint32_t bad = 0;
      for (uint32_t j = 0; j < count; ++j) {
        bad |= !known.before(second[j] & ~kFar, mine + (j >> shift));
      }
      if (bad) return false;
      for (uint32_t j = 0; j < count; ++j) second[j] = 0;
    }
    if (any(first, count)) {
      for (uint32_t j = 0; j < count; ++j) first[j] = 0;
    }
    set(shadow.write + cell);
    return true;
  }
};

struct Watch {
  template <bool kShared>
  static Known<kShared> known_of(const Context& state, const RaceShadow& shadow) {
    const WarpRaces& warp = state.block->races->warps[state.warp->index];
    return {shadow.old,       shadow.low,         shadow.span,
            shadow.unwritten, shadow.thread_bits, kShared ? warp.synced.shared : 0};
  }

  /// Lanes in order on gapless cells.
  template <bool kShared>
  static bool runs(RaceShadow& shadow, const Touch& touch, const Known<kShared>& known,
                   Stamp mine) {
    const uint32_t size = touch.size(), stride = touch.stride();
    const uint32_t cells = size >> shadow.cell_shift;
    const bool load = touch.form->kind == MemoryForm::Kind::Load;
    if (stride != size) return false;
    const uint64_t extent = 16 * uint64_t{size};
    const auto shift = static_cast<uint32_t>(__builtin_ctz(cells));
    for (uint32_t half = 0; half < 2; ++half) {
      if (!shadow.covers(touch.base(half), extent)) return false;
      const uint64_t cell = shadow.cell_of(touch.base(half));
      const Run<kShared> run = {known, mine + 16 * half, 16 * cells, shift};
      if (!(load ? run.read(shadow, cell) : run.write(shadow, cell))) return false;
    }
    return true;
  }

  template <bool kShared>
  static void look_in(Context& state, const Touch& touch, RaceShadow& shadow) {
    const Stamp mine = state.races->stamp(state, touch.step, kShared);
    if (mine == 0) return;
    const bool plain =
        touch.form->kind != MemoryForm::Kind::Atomic && !touch.form->ordered;
    if (plain && touch.strided()) {
      if (runs<kShared>(shadow, touch, known_of<kShared>(state, shadow), mine)) return;
    }
    // Of the lanes of a half-warp that read one cell, two stand for all.
    const bool broadcast = plain && touch.strided() && touch.stride() == 0 &&
                           touch.form->kind == MemoryForm::Kind::Load;
    const uint32_t looked_at = broadcast ? 0x0003'0003u : touch.mask;
    RaceTouch lanes = {touch.step, touch.form, kShared, mine,
                       looked_at,  touch.mask, {}};
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      lanes.address[i] = touch.at(i);
    }
    state.races->look(state, lanes);
  }

  [[gnu::noinline]] static void look(Context& state, const Touch& touch) {
    if (touch.space == ptx::Space::Shared) {
      look_in<true>(state, touch, state.block->races->shared);
    } else if (touch.space == ptx::Space::Global && state.races->has_global()) {
      look_in<false>(state, touch, state.races->global);
    }
  }
};

// The roads that most accesses go: all lanes, cells of 4 bytes, nobody else since the
// last barrier, or readers of whom two are remembered.
template <bool kShared, bool kLoad, uint32_t kCells>
struct Quick {
  struct Limits {
    Stamp unwritten, old, low, span;
    [[gnu::always_inline]] bool settled(Stamp stamp) const {
      if (kShared) return stamp <= old;
      return (stamp <= old) | (stamp - low < span);
    }
    [[gnu::always_inline]] bool readable(Stamp stamp) const {
      return settled(stamp) & (!kShared || stamp >= unwritten);
    }
  };

  // How the cells of a half-warp lie: one lane's cells for all lanes, cell after cell,
  // or each lane's cells `pitch` cells behind those of the lane before.
  enum class Lie { Same, Dense, Apart };

  template <Lie kLie>
  struct Cells {
    static constexpr uint32_t kCount = kLie == Lie::Same ? kCells : 16 * kCells;
    uint64_t begin, pitch;
    [[gnu::always_inline]] uint64_t operator[](uint32_t j) const {
      if (kLie != Lie::Apart) return begin + j;
      return begin + j / kCells * pitch + j % kCells;
    }
    [[gnu::always_inline]] static uint32_t lane(uint32_t j) {
      return kLie == Lie::Same ? 0 : j / kCells;
    }
  };

  template <Lie kLie>
  [[gnu::always_inline]] static bool read(RaceShadow& shadow, const Limits& limits,
                                          const Cells<kLie>& cells, Context& state,
                                          const Step* step, uint32_t half) {
    constexpr uint32_t kCount = Cells<kLie>::kCount;
    uint32_t bad = 0, open = 0;
    for (uint32_t j = 0; j < kCount; ++j) {
      bad |= limits.readable(shadow.write[cells[j]]) ? 0 : 1;
    }
    if (bad) return false;
    const Stamp enough = kFar | limits.old;
    for (uint32_t j = 0; j < kCount; ++j) {
      open |= shadow.second[cells[j]] > enough ? 0 : 1;
    }
    if (!open) return true;
    if (knows_more(state, limits)) return false;
    keep<kLie>(shadow, limits, cells, state, step, half);
    return true;
  }

  /// __syncwarp() has ordered more than barriers have.
  [[gnu::always_inline]] static bool knows_more(const Context& state,
                                                const Limits& limits) {
    if (!kShared) return false;
    const WarpRaces& warp = state.block->races->warps[state.warp->index];
    return warp.synced.shared > limits.old || warp.lanes;
  }

  /// Remembers each read as one of two, as Run::keep_reads. Where all lanes of a half
  /// read one cell, two of them are.
  template <Lie kLie>
  [[gnu::always_inline]] static void keep(RaceShadow& shadow, const Limits& limits,
                                          const Cells<kLie>& cells, Context& state,
                                          const Step* step, uint32_t half) {
    const Stamp zero = state.races->stamp(state, step, kShared);
    if (zero == 0) return;
    Stamp *const firsts = shadow.read, *const seconds = shadow.second;
    const Stamp thread_bits = shadow.thread_bits;
    MINITORCH_LANE_LOOP
    for (uint32_t j = 0; j < Cells<kLie>::kCount; ++j) {
      Stamp &first = firsts[cells[j]], &second = seconds[cells[j]];
      const Stamp me = zero + 16 * half + cells.lane(j), a = first, was = second;
      const Stamp b = was & ~kFar;
      const bool free = limits.settled(a) | (((a ^ me) & thread_bits) == 0);
      const bool free2 = limits.settled(b);
      const bool near = kShared ? ((a ^ me) & kWarpBits) == 0 : a >= limits.low;
      const bool take = free2 | (((was & kFar) == 0) & (!near));
      first = free ? me : a;
      if (kLie == Lie::Same) {
        second = free ? (free2 ? me + 1 : was) : (take ? me | (near ? 0 : kFar) : was);
      } else {
        second = (!free) & take ? me | (near ? 0 : kFar) : was;
      }
    }
  }

  template <Lie kLie>
  [[gnu::always_inline]] static bool write(RaceShadow& shadow, const Limits& limits,
                                           const Cells<kLie>& cells, Context& state,
                                           const Step* step, uint32_t half) {
    constexpr uint32_t kCount = Cells<kLie>::kCount;
    uint32_t bad = 0;
    for (uint32_t j = 0; j < kCount; ++j) {
      const uint64_t at = cells[j];
      bad |= limits.settled(shadow.write[at]) & limits.settled(shadow.read[at]) &
                     limits.settled(shadow.second[at] & ~kFar)
                 ? 0
                 : 1;
    }
    if (bad) return false;
    const Stamp zero = state.races->stamp(state, step, kShared);
    if (zero == 0) return true;
    for (uint32_t j = 0; j < kCount; ++j) {
      shadow.write[cells[j]] = zero + 16 * half + cells.lane(j);
    }
    return true;
  }

  template <Lie kLie>
  [[gnu::always_inline]] static bool half_warp(RaceShadow& shadow, const Limits& limits,
                                               const Cells<kLie>& cells, Context& state,
                                               const Step* step, uint32_t half) {
    if constexpr (kLoad) return read<kLie>(shadow, limits, cells, state, step, half);
    return write<kLie>(shadow, limits, cells, state, step, half);
  }

  template <class A, uint64_t kBias, Lie kLie>
  [[gnu::always_inline]] static bool both_halves(Context& state, const Step* step,
                                                 const Pattern& pattern, uint64_t delta,
                                                 RaceShadow& shadow) {
    const Limits limits = {shadow.unwritten, shadow.old, shadow.low, shadow.span};
    constexpr uint32_t kSize = 4 * kCells;
    const uint64_t extent = 15 * uint64_t{pattern.stride} + kSize;
    for (uint32_t half = 0; half < 2; ++half) {
      const uint64_t at = pattern.base[half] + delta;
      if (!shadow.covers(at, extent)) return false;
      const Cells<kLie> cells = {(at - shadow.origin) / 4, pattern.stride / 4};
      if (!half_warp<kLie>(shadow, limits, cells, state, step, half)) return false;
    }
    return true;
  }

  template <class A, uint64_t kBias>
  static bool all(Context& state, const Step* step) {
    if (state.partial) return false;
    const Pattern& pattern = pattern_of<A>(state, step);
    const uint64_t delta = static_cast<uint64_t>(step->immediate) - kBias;
    constexpr uint32_t kSize = 4 * kCells;
    RaceShadow& shadow = kShared ? state.block->races->shared : state.races->global;
    if (!pattern.strided || ((pattern.low_bits | delta) & (kSize - 1)) != 0 ||
        shadow.slow) {
      return false;
    }
    if (pattern.stride == kSize) {
      return both_halves<A, kBias, Lie::Dense>(state, step, pattern, delta, shadow);
    }
    if (pattern.stride > kSize) {
      return both_halves<A, kBias, Lie::Apart>(state, step, pattern, delta, shadow);
    }
    if constexpr (kLoad) {
      if (pattern.stride == 0) {
        return both_halves<A, kBias, Lie::Same>(state, step, pattern, delta, shadow);
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

template <bool kShared, bool kLoad, uint32_t kCells>
HandlerPair quick(const MemoryForm& form) {
  using Way = Quick<kShared, kLoad, kCells>;
  Handler handler = &Way::template run < uint64_t, kShared ? kSharedBase : 0 > ;
  if (form.address_bytes != 8) {
    if constexpr (!kShared) return {};
    handler = &Way::template run<uint32_t, kSharedBase>;
  }
  return {handler, handler};
}

template <bool kShared, bool kLoad>
HandlerPair quick_of_size(const MemoryForm& form) {
  switch (form.size()) {
    case 4:
      return quick<kShared, kLoad, 1>(form);
    case 8:
      return quick<kShared, kLoad, 2>(form);
    case 16:
      return quick<kShared, kLoad, 4>(form);
    default:
      return {};
  }
}

HandlerPair find_quick(const MemoryForm& form) {
  const bool load = form.kind == MemoryForm::Kind::Load;
  if (form.kind == MemoryForm::Kind::Atomic || form.ordered) return {};
  if (form.space == ptx::Space::Shared) {
    return load ? quick_of_size<true, true>(form) : quick_of_size<true, false>(form);
  }
  if (form.space != ptx::Space::Global) return {};
  return load ? quick_of_size<false, true>(form) : quick_of_size<false, false>(form);
}

}  // namespace

HandlerPair find_race_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Shared ||
                     form.space == ptx::Space::Generic;
  if (!looks) return {};
  const HandlerPair quick = find_quick(form);
  return quick.full ? quick : ProbeAccess<Watch>::find(form);
}

}  // namespace minitorch::emulator::MINITORCH_ISA

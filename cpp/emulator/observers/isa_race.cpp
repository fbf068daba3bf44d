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

  /// Lanes in order on gapless cells, or all lanes reading the same ones.
  template <bool kShared>
  static bool runs(RaceShadow& shadow, const Touch& touch, const Known<kShared>& known,
                   Stamp mine) {
    const uint32_t size = touch.size(), stride = touch.stride();
    const uint32_t cells = size >> shadow.cell_shift;
    const bool load = touch.form->kind == MemoryForm::Kind::Load;
    const bool broadcast = stride == 0 && load;
    if (stride != size && !broadcast) return false;
    const uint64_t extent = broadcast ? size : 16 * uint64_t{size};
    const auto shift = static_cast<uint32_t>(__builtin_ctz(cells));
    for (uint32_t half = 0; half < 2; ++half) {
      if (!shadow.covers(touch.base(half), extent)) return false;
      const uint64_t cell = shadow.cell_of(touch.base(half));
      const Run<kShared> run = {known, mine + 16 * half, broadcast ? cells : 16 * cells,
                                broadcast ? 31 : shift};
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
    RaceTouch lanes = {touch.step, touch.form, kShared, mine,
                       touch.mask, touch.mask, {}};
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
// last barrier, or so many readers that one more changes nothing.
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

  template <uint32_t kCount>
  [[gnu::always_inline]] static bool read(RaceShadow& shadow, const Limits& limits,
                                          uint64_t cell, Context& state,
                                          const Step* step, uint32_t half) {
    const Stamp* const write = shadow.write + cell;
    const Stamp* const second = shadow.second + cell;
    Stamp* const first = shadow.read + cell;
    uint32_t bad = 0, open = 0, taken = 0;
    for (uint32_t j = 0; j < kCount; ++j) bad |= limits.readable(write[j]) ? 0 : 1;
    if (bad) return false;
    const Stamp enough = kFar | limits.old;
    for (uint32_t j = 0; j < kCount; ++j) open |= second[j] > enough ? 0 : 1;
    if (!open) return true;
    for (uint32_t j = 0; j < kCount; ++j) taken |= limits.settled(first[j]) ? 0 : 1;
    if (taken) return false;
    set<kCount>(first, state, step, half);
    return true;
  }

  template <uint32_t kCount>
  [[gnu::always_inline]] static bool write(RaceShadow& shadow, const Limits& limits,
                                           uint64_t cell, Context& state,
                                           const Step* step, uint32_t half) {
    const Stamp* const first = shadow.read + cell;
    const Stamp* const second = shadow.second + cell;
    Stamp* const write = shadow.write + cell;
    uint32_t bad = 0;
    for (uint32_t j = 0; j < kCount; ++j) {
      bad |= limits.settled(write[j]) & limits.settled(first[j]) &
                     limits.settled(second[j] & ~kFar)
                 ? 0
                 : 1;
    }
    if (bad) return false;
    set<kCount>(write, state, step, half);
    return true;
  }

  template <uint32_t kCount>
  [[gnu::always_inline]] static void set(Stamp* stamps, Context& state,
                                         const Step* step, uint32_t half) {
    const Stamp zero = state.races->stamp(state, step, kShared);
    if (zero == 0) return;
    for (uint32_t j = 0; j < kCount; ++j) {
      stamps[j] = zero + 16 * half + (kCount == kCells ? 0 : j / kCells);
    }
  }

  template <class A, uint64_t kBias>
  static bool all(Context& state, const Step* step) {
    if (state.partial) return false;
    const Pattern& pattern = pattern_of<A>(state, step);
    const uint64_t delta = static_cast<uint64_t>(step->immediate) - kBias;
    constexpr uint32_t kSize = 4 * kCells;
    const bool broadcast = kLoad && pattern.stride == 0;
    RaceShadow& shadow = kShared ? state.block->races->shared : state.races->global;
    if (!pattern.strided || (pattern.stride != kSize && !broadcast) ||
        ((pattern.low_bits | delta) & (kSize - 1)) != 0 || shadow.slow) {
      return false;
    }
    const Limits limits = {shadow.unwritten, shadow.old, shadow.low, shadow.span};
    for (uint32_t half = 0; half < 2; ++half) {
      const uint64_t at = pattern.base[half] + delta;
      if (!shadow.covers(at, broadcast ? kSize : 16 * kSize)) return false;
      const uint64_t cell = (at - shadow.origin) / 4;
      bool done = false;
      if constexpr (!kLoad) {
        done = write<16 * kCells>(shadow, limits, cell, state, step, half);
      } else if (broadcast) {
        done = read<kCells>(shadow, limits, cell, state, step, half);
      } else {
        done = read<16 * kCells>(shadow, limits, cell, state, step, half);
      }
      if (!done) return false;
    }
    return true;
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

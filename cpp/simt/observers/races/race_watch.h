// The general road of the probe that looks for races: tests runs of cells at once, and
// gives to race_detector.cpp the lanes whose cells somebody else may have used
// meanwhile. For the isa_*.cpp sources only.
#pragma once

#include "simt/observers/probe_access.h"
#include "simt/observers/races/race_detector.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

/// What a warp knows of epochs without looking into records.
template <bool kShared>
struct Known {
  Epoch old, low, span, unwritten, thread_bits, synced;

  bool before(Epoch epoch, Epoch mine) const {
    bool known = (epoch <= old) | (epoch - low < span);
    known |= ((epoch ^ mine) & thread_bits) == 0;
    if (kShared) known |= (((epoch ^ mine) & kWarpBits) == 0) & (epoch <= synced);
    return known;
  }
  /// One group: the warp in shared memory, the block in global memory.
  bool near(Epoch epoch, Epoch mine) const {
    return kShared ? ((epoch ^ mine) & kWarpBits) == 0 : epoch >= low;
  }
};

// Cell j of a run is used by the thread of epoch mine + (j >> shift).
template <bool kShared>
struct Run {
  Known<kShared> known;
  Epoch mine;
  uint32_t count, shift;

  bool all_before(const Epoch* epochs) const {
    uint32_t bad = 0;
    for (uint32_t j = 0; j < count; ++j) {
      bad |= !known.before(epochs[j], mine + (j >> shift));
    }
    return bad == 0;
  }
  bool all_written(const Epoch* epochs) const {
    uint32_t bad = 0;
    for (uint32_t j = 0; j < count; ++j) bad |= epochs[j] < known.unwritten;
    return bad == 0;
  }
  static uint32_t any(const Epoch* epochs, uint32_t count) {
    uint32_t bits = 0;
    for (uint32_t j = 0; j < count; ++j) bits |= epochs[j];
    return bits;
  }
  void set(Epoch* epochs) const {
    for (uint32_t j = 0; j < count; ++j) epochs[j] = mine + (j >> shift);
  }

  bool keep_reads(Epoch* first, Epoch* second, bool careful) const {
    if (all_before(first)) {
      set(first);
      return true;
    }
    // Which of them are still needed, records and fences must tell.
    if (careful) return false;
    MINITORCH_LANE_LOOP
    for (uint32_t j = 0; j < count; ++j) {
      const Epoch me = mine + (j >> shift), a = first[j], b = second[j] & ~kFar;
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
    Epoch *const first = shadow.read + cell, *const second = shadow.second + cell;
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
    const WarpRaces& warp = races_of(*state.block).warps[state.warp->index];
    return {shadow.old,       shadow.low,         shadow.span,
            shadow.unwritten, shadow.thread_bits, kShared ? warp.synced.shared : 0};
  }

  /// Lanes in order on gapless cells.
  template <bool kShared>
  static bool runs(RaceShadow& shadow, const Touch& touch, const Known<kShared>& known,
                   Epoch mine) {
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
    const Epoch mine = detector_of(state).history().epoch(state, touch.step, kShared);
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
    detector_of(state).look(state, lanes);
  }

  [[gnu::noinline]] static void look(Context& state, const Touch& touch) {
    if (touch.space == ptx::Space::Shared) {
      look_in<true>(state, touch, races_of(*state.block).shared);
    } else if (touch.space == ptx::Space::Global &&
               detector_of(state).history().has_global()) {
      look_in<false>(state, touch, detector_of(state).history().global);
    }
  }
};

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

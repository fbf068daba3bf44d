// Owns the probe of loads of shared memory that no store can race with (stretches.h):
// whether all they read has been written. For the isa_*.cpp sources only.
#pragma once

#include "emulator/observers/race_quick.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

template <uint32_t kCells>
struct LoneLoad {
  /// Whether all that a load reads has been written in this block.
  template <class A, uint64_t kBias>
  static bool written(Context& state, const Step* step, const RaceShadow& shadow) {
    const Pattern& pattern = pattern_of<A>(state, step);
    const uint64_t delta = static_cast<uint64_t>(step->immediate) - kBias;
    constexpr uint32_t kSize = 4 * kCells;
    if (((pattern.low_bits | delta) & (kSize - 1)) != 0) return false;
    const bool dense = !state.partial && pattern.strided && pattern.stride == kSize;
    const bool same = !state.partial && pattern.strided && pattern.stride == 0;
    if (dense || same) {
      const uint64_t extent = dense ? 16 * kSize : kSize;
      Truth fine = kAllTrue;
      for (uint64_t base : pattern.base) {
        if (!shadow.covers(base + delta, extent)) return false;
        const Stamp* const stamps = shadow.write + (base + delta - shadow.origin) / 4;
        for (uint32_t v = 0; v < kCells; ++v) {
          fine &= dense ? load_stamps(stamps + 16 * v) >= shadow.unwritten
                        : Stamps{} + stamps[v] >= shadow.unwritten;
        }
      }
      return all_true(fine);
    }
    const Row<A>* const address = addresses<A>(state, step);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint64_t at = address[first_lane(left)] + delta;
      if (!shadow.covers(at, kSize)) return false;
      for (uint32_t v = 0; v < kCells; ++v) {
        if (shadow.write[(at - shadow.origin) / 4 + v] < shadow.unwritten) return false;
      }
    }
    return true;
  }

  template <class A, uint64_t kBias>
  static const Step* run(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const BlockRaces& races = *state.block->races;
    if (races.trusted && !races.shared.slow && !races.copying &&
        (races.filled || written<A, kBias>(state, step, races.shared))) {
      return step + 1;
    }
    return Quick<true, true, kCells>::template run<A, kBias>(state, step);
  }
};

}  // namespace
}  // namespace minitorch::emulator::MINITORCH_ISA

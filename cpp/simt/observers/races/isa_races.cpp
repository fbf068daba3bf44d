// The probes that look for races: which accesses take which road, and the short one of
// loads of shared memory that no store can race with (barrier_intervals.h).
#include "simt/observers/races/race_quick.h"

namespace minitorch::simt::MINITORCH_ISA {

HandlerPair find_race_probe(const MemoryForm& form);

namespace {

// Whether all that the load reads has been written is all there is to ask.
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
        const Epoch* const epochs = shadow.write + (base + delta - shadow.origin) / 4;
        for (uint32_t v = 0; v < (dense ? 16 * kCells / kWide : kCells); ++v) {
          fine &= dense ? load_epochs(epochs + kWide * v) >= shadow.unwritten
                        : Epochs{} + epochs[v] >= shadow.unwritten;
        }
      }
      return all_true(fine);
    }
    const AddressRow<A>* const address = addresses<A>(state, step);
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
    const BlockRaces& races = races_of(*state.block);
    if (races.trusted && !races.shared.slow && !races.copying &&
        (races.filled || written<A, kBias>(state, step, races.shared))) {
      return step + 1;
    }
    return Quick<true, true, kCells>::template run<A, kBias>(state, step);
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

template <uint32_t kCells>
HandlerPair lone_load(const MemoryForm& form) {
  using Way = LoneLoad<kCells>;
  Handler handler = &Way::template run<uint32_t, kSharedBase>;
  if (form.address_bytes == 8) handler = &Way::template run<uint64_t, kSharedBase>;
  return {handler, handler};
}

}  // namespace

HandlerPair find_lone_load_probe(const MemoryForm& form) {
  switch (form.size()) {
    case 4:
      return lone_load<1>(form);
    case 8:
      return lone_load<2>(form);
    case 16:
      return lone_load<4>(form);
    default:
      return find_race_probe(form);
  }
}

HandlerPair find_race_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Shared ||
                     form.space == ptx::Space::Generic;
  if (!looks) return {};
  const HandlerPair quick = find_quick(form);
  return quick.full ? quick : ProbeAccess<Watch>::find(form);
}

}  // namespace minitorch::simt::MINITORCH_ISA

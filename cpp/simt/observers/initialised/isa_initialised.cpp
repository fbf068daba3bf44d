// The probe that reports loads of global bytes which were never written.
#include "simt/observers/initialised/initialised.h"
#include "simt/observers/probe_access.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

struct ReadsWritten {
  static bool all_written(const Context& state, const Touch& touch) {
    const uint32_t size = touch.size();
    if (touch.contiguous()) return bits_are_set(state, touch.base(0), 32 * size);
    if (touch.strided() && touch.stride() == 0) {
      return bits_are_set(state, touch.base(0), size) &&
             bits_are_set(state, touch.base(1), size);
    }
    bool all = true;
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      all &= bits_are_set(state, touch.at(first_lane(left)), size);
    }
    return all;
  }

  static void look(Context& state, const Touch& touch) {
    if (touch.space != ptx::Space::Global) return;
    if (!all_written(state, touch)) return report_uninitialised(state, touch.step);
    AllocationHit& hit = state.hits[touch.step->e];
    if (hit.asked || hit.low >= hit.high) return;
    hit.asked = true;
    hit.written = state.memory->is_written(hit.low, hit.high - hit.low);
    hit.only_read = touch.step->d2 != 0 && !touch.form->ordered &&
                    observer_of<Initialised>(state).is_only_read(hit.low, hit.high);
  }
};

// The road of most loads: all lanes, in an allocation that has been written as a whole.
// Where the launch only reads it, the probe for races behind this one is passed over:
// `d2` says whether there is one.
template <uint32_t kSize>
const Step* whole(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const AllocationHit& hit = state.hits[step->e];
  if (hit.written && stays_within<uint64_t>(state, pattern_of<uint64_t>(state, step),
                                            addresses<uint64_t>(state, step), kSize,
                                            static_cast<uint64_t>(step->immediate),
                                            hit.low, hit.high)) {
    return step + 1 + (hit.only_read ? step->d2 : 0);
  }
  return ProbeAccess<ReadsWritten>::direct<uint64_t, ptx::Space::Global, 0>(state,
                                                                            step);
}

HandlerPair find_whole(const MemoryForm& form) {
  const auto both = [](Handler handler) { return HandlerPair{handler, handler}; };
  if (form.space != ptx::Space::Global || form.kind != MemoryForm::Kind::Load)
    return {};
  switch (form.size()) {
    case 4:
      return both(&whole<4>);
    case 8:
      return both(&whole<8>);
    case 16:
      return both(&whole<16>);
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_uninitialised_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Const ||
                     form.space == ptx::Space::Generic;
  if (form.kind == MemoryForm::Kind::Store || !looks) return {};
  const HandlerPair whole = find_whole(form);
  return whole.full ? whole : ProbeAccess<ReadsWritten>::find(form);
}

}  // namespace minitorch::simt::MINITORCH_ISA

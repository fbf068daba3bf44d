// The probe that marks which bytes of global memory a launch uses.
#include "simt/observers/footprint/footprint_writer.h"
#include "simt/observers/probe_access.h"
#include "simt/program/engine.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

Use use_of(const MemoryForm& form) {
  if (form.kind == MemoryForm::Kind::Atomic) return Use::StrongWrite;
  const bool load = form.kind == MemoryForm::Kind::Load;
  if (form.ordered) return load ? Use::StrongRead : Use::StrongWrite;
  return load ? Use::Read : Use::Write;
}

struct Marked {
  static void look(Context& state, const Touch& touch) {
    if (touch.space != ptx::Space::Global) return;
    const uint32_t size = touch.size();
    const FunctionCode& code = *state.frame->code;
    const uint32_t access = state.program->access_base[code.index] + touch.step->e;
    const auto mark = [&, use = use_of(*touch.form)](uint64_t at, uint64_t bytes) {
      observer_of<FootprintWriter>(state).mark(use, at, bytes, access,
                                               {code.index, touch.step->instruction});
    };
    if (touch.contiguous()) return mark(touch.base(0), 32 * uint64_t{size});
    if (touch.strided() && (touch.stride() == 0 || touch.stride() == size)) {
      const uint64_t bytes = touch.stride() == 0 ? size : 16 * uint64_t{size};
      mark(touch.base(0), bytes);
      return mark(touch.base(1), bytes);
    }
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      mark(touch.at(first_lane(left)), size);
    }
  }
};

// Most loads read again what others have read: nothing is marked where the allocation
// has been used as a whole.
const Step* in_global(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const auto access = static_cast<size_t>(state.hits - state.all_hits) + step->e;
  const MemoryForm& form = state.frame->code->accesses[step->e];
  FootprintWriter& footprint = observer_of<FootprintWriter>(state);
  FootprintWriter::Whole& whole = footprint.whole(access);
  if (stays_within<uint64_t>(
          state, pattern_of<uint64_t>(state, step), addresses<uint64_t>(state, step),
          form.size(), static_cast<uint64_t>(step->immediate), whole.low, whole.high)) {
    return step + 1;
  }
  const Step* next =
      ProbeAccess<Marked>::direct<uint64_t, ptx::Space::Global, 0>(state, step);
  if (++whole.calls < whole.next_look) return next;
  whole.calls = 0;
  whole.next_look *= 2;
  const AllocationHit& hit = state.hits[step->e];
  if (footprint.is_marked(use_of(form), hit.low, hit.high)) {
    whole.low = hit.low;
    whole.high = hit.high;
  }
  return next;
}

}  // namespace

HandlerPair find_footprint_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Const ||
                     form.space == ptx::Space::Generic;
  const bool plain = form.space == ptx::Space::Global &&
                     form.kind != MemoryForm::Kind::Atomic && form.address_bytes == 8;
  if (plain) return {&in_global, &in_global};
  return looks ? ProbeAccess<Marked>::find(form) : HandlerPair{};
}

}  // namespace minitorch::simt::MINITORCH_ISA

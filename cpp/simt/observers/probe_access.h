// What a probe sees of a memory step: all executing lanes in one space, admitted (in
// bounds, aligned), before memory changes. For the isa_*.cpp sources only.
#pragma once

#include "simt/warp/access.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

/// The addresses of one memory step in one space: global addresses, or offsets in the
/// block's shared or the thread's local memory. `mask` holds the lanes to look at.
struct Touch {
  const Step* step;
  const MemoryForm* form;
  ptx::Space space;  // Global (const memory included), Shared or Local
  uint32_t mask;
  const void* row;
  bool wide;               // the row has 8 bytes a lane
  uint64_t delta;          // row value + delta is the address
  const Pattern* pattern;  // of the row; its `strided` holds for all 32 lanes

  uint64_t at(uint32_t lane) const {
    return (wide ? static_cast<const Row<uint64_t>*>(row)[lane]
                 : static_cast<const AddressRow<uint32_t>*>(row)[lane]) +
           delta;
  }
  uint32_t size() const { return form->size(); }
  /// All 32 lanes execute, and lane i of half-warp h is at base(h) + stride * (i % 16).
  bool strided() const { return mask == kFullMask && pattern->strided; }
  uint64_t base(uint32_t half) const { return pattern->base[half] + delta; }
  uint32_t stride() const { return pattern->stride; }
  /// Strided, and each lane's bytes follow those of the lane before.
  bool contiguous() const { return strided() && gapless(*pattern, size()); }
};

// Calls Look::look(Context&, const Touch&) for what a step touches, space by space;
// goes on to the next step unless an access is not admitted.
template <class Look>
struct ProbeAccess {
  template <class A>
  static bool one_space(Context& state, const Step* step, ptx::Space space,
                        uint64_t bias) {
    const MemoryForm& form = state.frame->code->accesses[step->e];
    const Pattern& pattern = pattern_of<A>(state, step);
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint32_t size = form.size();
    const uint32_t alignment =
        form.kind == MemoryForm::Kind::Atomic ? form.bytes : size;
    const uint64_t delta = static_cast<uint64_t>(step->immediate) - bias;
    const auto within = [&](uint64_t low, uint64_t high) {
      return stays_within<A>(state, pattern, address, size, delta, low, high);
    };
    const bool aligned = ((pattern.low_bits | delta) & (alignment - 1)) == 0;
    if (space == ptx::Space::Global) {
      AllocationHit& hit = state.hits[step->e];
      if (!within(hit.low, hit.high) || !aligned) {
        if (!admit_global(state, step, hit)) return false;
      }
    } else {
      const bool shared = space == ptx::Space::Shared;
      const uint64_t limit = shared ? state.shared_bytes : state.local_bytes;
      if (!within(0, limit) || !aligned) {
        if (!(shared ? admit_shared(state, step, bias)
                     : admit_local(state, step, bias))) {
          return false;
        }
      }
    }
    const Touch touch = {step,    &form,          space, state.mask,
                         address, sizeof(A) == 8, delta, &pattern};
    Look::look(state, touch);
    return true;
  }

  static bool in_window(Context& state, const Step* step, uint64_t window) {
    if (window == kSharedWindow >> 56) {
      return one_space<uint64_t>(state, step, ptx::Space::Shared,
                                 kSharedBase + kSharedWindow);
    }
    // Local memory has no atomics: its window is none of theirs.
    const MemoryForm& form = state.frame->code->accesses[step->e];
    if (window == kLocalWindow >> 56 && form.kind != MemoryForm::Kind::Atomic) {
      return one_space<uint64_t>(state, step, ptx::Space::Local,
                                 kLocalBase + kLocalWindow);
    }
    // Parameters are constant, and checked by the load itself.
    const bool load = form.kind == MemoryForm::Kind::Load;
    if (load && window == kParamWindow >> 56) return true;
    return one_space<uint64_t>(state, step, ptx::Space::Global, 0);
  }

  static const Step* generic(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const Row<uint64_t>* address = addresses<uint64_t>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate);
    const uint32_t mask = state.mask;
    bool admitted = true;
    for (uint32_t left = mask; left && admitted;) {
      const uint64_t window = (address[first_lane(left)] + offset) >> 56;
      uint32_t group = 0;
      for (uint32_t rest = left; rest; rest &= rest - 1) {
        const uint32_t i = first_lane(rest);
        group |= (address[i] + offset) >> 56 == window ? 1u << i : 0;
      }
      if (group != state.mask) set_mask(state, group);
      admitted = in_window(state, step, window);
      left &= ~group;
    }
    if (!admitted) return nullptr;
    if (state.mask != mask) set_mask(state, mask);
    return step + 1;
  }

  template <class A, ptx::Space kSpace, uint64_t kBias>
  static const Step* direct(LaneState& state, const Step* step) {
    return one_space<A>(context(state), step, kSpace, kBias) ? step + 1 : nullptr;
  }

  /// The probe for accesses of this form.
  static HandlerPair find(const MemoryForm& form) {
    const auto both = [](Handler handler) { return HandlerPair{handler, handler}; };
    const bool wide = form.address_bytes == 8;
    switch (form.space) {
      case ptx::Space::Global:
      case ptx::Space::Const:
        return both(&direct<uint64_t, ptx::Space::Global, 0>);
      case ptx::Space::Generic:
        return both(&generic);
      case ptx::Space::Shared:
        return wide ? both(&direct<uint64_t, ptx::Space::Shared, kSharedBase>)
                    : both(&direct<uint32_t, ptx::Space::Shared, kSharedBase>);
      case ptx::Space::Local:
        return wide ? both(&direct<uint64_t, ptx::Space::Local, kLocalBase>)
                    : both(&direct<uint32_t, ptx::Space::Local, kLocalBase>);
      default:
        return {};
    }
  }
};

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

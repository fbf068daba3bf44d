// The handler of atom and red in every space: check, then one update a lane, in lane
// order. For the isa_*.cpp sources only.
#pragma once

#include "simt/warp/access.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// Sources: b the operand, c the value to swap in. `d` is a spare row for red.
template <class A>
struct Atomic {
  static uint64_t value(const LaneState& state, uint32_t at, uint32_t bytes,
                        uint32_t i) {
    return bytes == 8 ? row<uint64_t>(state, at)[i] : row<uint32_t>(state, at)[i];
  }

  [[gnu::always_inline]] static void update(Context& state, const Step* step,
                                            const MemoryForm& form, uint32_t i,
                                            void* at, AtomicUpdate apply) {
    const uint64_t old = apply(at, value(state, step->b, form.bytes, i),
                               value(state, step->c, form.bytes, i));
    if (form.bytes == 8) {
      row<uint64_t>(state, step->d)[i] = old;
    } else {
      row<uint32_t>(state, step->d)[i] = static_cast<uint32_t>(old);
    }
  }

  static const Step* global(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const MemoryForm& form = state.frame->code->accesses[step->e];
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate);
    AllocationHit& hit = state.hits[step->e];
    bool inside = true, written = true;
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint64_t at = address[first_lane(left)] + offset;
      inside &= hit.holds(at, form.bytes) && at % form.bytes == 0;
    }
    if (!inside && !admit_global(state, step, hit)) return nullptr;
    for (uint32_t left = state.mask; left; left &= left - 1) {
      written &= bits_are_set(state, address[first_lane(left)] + offset, form.bytes);
    }
    if (!written) {
      for (uint32_t left = state.mask; left; left &= left - 1) {
        mark_written(state, address[first_lane(left)] + offset, form.bytes);
      }
    }
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      update(state, step, form, i, reinterpret_cast<void*>(address[i] + offset),
             form.update);
    }
    return after_load(state, step);
  }

  template <uint64_t kBias>
  static const Step* shared(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const MemoryForm& form = state.frame->code->accesses[step->e];
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate) - kBias;
    const AllocationHit& hit = state.hits[shared_hit(step, kBias)];
    bool inside = true;
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint64_t at = address[first_lane(left)] + offset;
      inside &= hit.holds(at, form.bytes) && at % form.bytes == 0;
    }
    if (!inside && !admit_shared(state, step, kBias)) return nullptr;
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      update(state, step, form, i, state.shared + (address[i] + offset),
             form.update_private);
    }
    return after_load(state, step);
  }

  // Lanes in different spaces go one after the other; atomics on local memory are
  // refused as they are by the hardware.
  static const Step* generic(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const uint32_t mask = state.mask;
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate);
    uint32_t in_shared = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      const uint64_t at = address[i] + offset;
      in_shared |= at >> 56 == kSharedWindow >> 56 ? 1u << i : 0;
    }
    if (in_shared == mask) return shared<kSharedBase + kSharedWindow>(state, step);
    if (in_shared == 0) return global(state, step);
    set_mask(state, in_shared);
    const Step* result = shared<kSharedBase + kSharedWindow>(state, step);
    if (result) {
      set_mask(state, mask & ~in_shared);
      result = global(state, step);
    }
    set_mask(state, mask);
    return result;
  }
};

inline HandlerPair find_atomic_access(const MemoryForm& form) {
  const auto both = [](Handler handler) { return HandlerPair{handler, handler}; };
  const bool wide = form.address_bytes == 8;
  if (form.space == ptx::Space::Shared) {
    return wide ? both(&Atomic<uint64_t>::template shared<kSharedBase>)
                : both(&Atomic<uint32_t>::template shared<kSharedBase>);
  }
  if (!wide) return {};
  if (form.space == ptx::Space::Global) return both(&Atomic<uint64_t>::global);
  if (form.space == ptx::Space::Generic) {
    return both(&Atomic<uint64_t>::generic);
  }
  return {};
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

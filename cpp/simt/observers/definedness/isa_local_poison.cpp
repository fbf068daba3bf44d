// The shadows of local memory: which bytes of a thread's own memory have a value, one
// bit a byte and lane.
#include "simt/observers/probe_access.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

void set_lanes(Context& state, uint32_t row, uint32_t bytes, uint32_t lane,
               uint64_t shadow) {
  uint8_t* const at = state.registers + row;
  if (bytes == 8) {
    reinterpret_cast<uint64_t*>(at)[lane] = shadow;
  } else {
    reinterpret_cast<uint32_t*>(at)[lane] = static_cast<uint32_t>(shadow);
  }
}

uint64_t shadow_of_bytes(const uint32_t* unwritten, uint32_t bytes, uint32_t lane) {
  uint64_t shadow = 0;
  for (uint32_t k = 0; k < bytes; ++k) {
    shadow |= (unwritten[k] >> lane & 1 ? uint64_t{0xff} : 0) << (8 * k);
  }
  return shadow;
}

/// Before a load: the shadows of its destinations (rows d, d2, b, c).
struct LoadsShadow {
  static void look(Context& state, const Touch& touch) {
    const Step* const step = touch.step;
    const uint32_t rows[] = {step->d, step->d2, step->b, step->c};
    const uint32_t bytes = touch.form->bytes;
    const bool local = touch.space == ptx::Space::Local;
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      const uint32_t lane = first_lane(left);
      bool unknown = false;
      for (uint32_t v = 0; v < touch.form->vector; ++v) {
        uint64_t shadow = 0;
        if (local) {
          const uint64_t at = touch.at(lane) + v * bytes;
          shadow = shadow_of_bytes(state.warp->local_poison.data() + at, bytes, lane);
          unknown |= shadow != 0;
        }
        set_lanes(state, rows[v], bytes, lane, shadow);
      }
      if (unknown) remember(state, touch, lane);
    }
  }

  static void remember(Context& state, const Touch& touch, uint32_t lane) {
    PoisonTrace& trace = state.warp->unwritten;
    const uint64_t at = touch.at(lane);
    const bool known = trace.lanes >> lane & 1 && at >= trace.low && at < trace.high;
    if (known) return;  // what it was made of was read before
    trace.lanes |= 1u << lane;
    trace.function = state.frame->code->index;
    trace.instruction = touch.step->instruction;
    trace.address = touch.at(lane) - state.frame->local_base;
    trace.size = touch.size();
  }
};

/// Before a store: its bytes get the shadows in rows b, c, d, d2.
struct StoresShadow {
  static uint64_t lane_of(const Context& state, uint32_t row, uint32_t bytes,
                          uint32_t lane) {
    const uint8_t* const at = state.registers + row;
    return bytes == 8 ? reinterpret_cast<const uint64_t*>(at)[lane]
                      : reinterpret_cast<const uint32_t*>(at)[lane];
  }

  static void widen(PoisonTrace& trace, uint64_t low, uint64_t high) {
    if (trace.high == 0 || low < trace.low) trace.low = low;
    if (high > trace.high) trace.high = high;
  }

  static void look(Context& state, const Touch& touch) {
    if (touch.space != ptx::Space::Local) return;
    const Step* const step = touch.step;
    const uint32_t rows[] = {step->b, step->c, step->d, step->d2};
    const uint32_t bytes = touch.form->bytes;
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      const uint32_t lane = first_lane(left);
      for (uint32_t v = 0; v < touch.form->vector; ++v) {
        const uint64_t shadow = lane_of(state, rows[v], bytes, lane);
        const uint64_t at = touch.at(lane) + v * bytes;
        if (shadow != 0) widen(state.warp->unwritten, at, at + bytes);
        uint32_t* unwritten = state.warp->local_poison.data() + at;
        for (uint32_t k = 0; k < bytes; ++k) {
          const uint32_t bit = 1u << lane;
          const bool poisoned = shadow >> (8 * k) & 0xff;
          unwritten[k] = poisoned ? unwritten[k] | bit : unwritten[k] & ~bit;
        }
      }
    }
  }
};

}  // namespace

HandlerPair find_local_poison_probe(const MemoryForm& form) {
  const bool looks =
      form.space == ptx::Space::Local || form.space == ptx::Space::Generic;
  if (!looks || form.kind == MemoryForm::Kind::Atomic) return {};
  return form.kind == MemoryForm::Kind::Load ? ProbeAccess<LoadsShadow>::find(form)
                                             : ProbeAccess<StoresShadow>::find(form);
}

}  // namespace minitorch::simt::MINITORCH_ISA

// The recognition of paths that do the same again and again: the states in which their
// time slices ended.
#include "simt/warp/context.h"

namespace minitorch::simt {
namespace {

/// A digest of what decides how the path goes on from `at`.
uint64_t state_digest(const Context& context, const Step* at) {
  constexpr uint64_t kFactor = 0x9e37'79b9'7f4a'7c15;
  uint64_t digest = reinterpret_cast<uint64_t>(at) * kFactor + context.mask;
  const auto add = [&](uint64_t word) {
    digest = (digest ^ word) * kFactor;
    digest ^= digest >> 29;
  };
  add(context.frame->depth);
  for (const Slot& slot : context.frame->code->steering_rows) {
    const uint8_t* const row = context.registers + slot.row;
    if (slot.size < 8) {
      add(*reinterpret_cast<const uint32_t*>(row));
      continue;
    }
    const auto* const words = reinterpret_cast<const uint64_t*>(row);
    for (uint32_t i = 0; i < slot.size / 8; ++i) add(words[i]);
  }
  return digest | 1;  // never the 0 of a path that has not been seen
}

}  // namespace

// Brent's way to find a period: one state is kept, and others are compared with it, for
// longer and longer.
bool PathStates::repeats(uint64_t state) {
  ++age;
  if (state == kept) {
    period = age;
    age = 0;
    return true;
  }
  if (period != 0 && age >= period) {
    period = 0;
    most = 1;
  }
  if (period == 0 && age >= most) {
    kept = state;
    age = 0;
    most = most < kLongestPeriod ? most * 2 : kLongestPeriod;
  }
  return period != 0;
}

void note_state(Context& context, const Step* at) {
  PathStates& states = context.warp->states[first_lane(context.mask)];
  context.warp->has_states = true;
  context.repeats = states.repeats(state_digest(context, at));
  states.looks = context.looks;
}

}  // namespace minitorch::simt

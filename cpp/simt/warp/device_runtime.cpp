// The functions that kernels call but nobody compiled: malloc, free, __assertfail, and
// the clocks. printf is print.cpp.
#include <chrono>

#include "simt/warp/device_call.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

const Step* call_malloc(Context& context, const Step* step) {
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t size = argument(context, lane, 0);
    const uint64_t limit = context.launch->launch->heap_limit;
    const uint64_t address = context.memory->allocate_heap(size, limit);
    if (address != 0) {
      for (ThreadObserver* const each : context.observers)
        each->allocate(address, size);
    }
    set_result(context, lane, address);
  }
  return step + 1;
}

const Step* call_free(Context& context, const Step* step) {
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t address = argument(context, lane, 0);
    if (address == 0 || context.memory->release_heap(address)) continue;
    return fault(context, step, MtFinding_InvalidFree, lane,
                 "free of an address that malloc did not return");
  }
  forget_hits(context);
  return step + 1;
}

const Step* call_assert(Context& context, const Step* step) {
  const uint32_t lane = first_lane(context.mask);
  const std::string text =
      base::text("assertion '",
                 device_string(context, lane, argument(context, lane, 0)), "' failed");
  return fault(context, step, MtFinding_Assert, lane, text.c_str());
}

const Step* read_clock(Context& context, const Step* step) {
  // The clock counts warp instructions of the block, so that runs repeat.
  const bool timer = step->immediate >= 3;
  uint64_t value = context.executed + (step->instruction - context.segment);
  if (timer) {
    value =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count());
  }
  value = context.block->time.read(value, timer);
  const bool high = step->immediate == 2 || step->immediate == 5;
  if (high) value >>= 32;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    if (step->b == 8) {
      reinterpret_cast<uint64_t*>(context.registers + step->d)[lane] = value;
    } else {
      reinterpret_cast<uint32_t*>(context.registers + step->d)[lane] =
          static_cast<uint32_t>(value);
    }
  }
  context.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

}  // namespace minitorch::simt

// Calls and returns: frames, arguments, results.
#include <algorithm>
#include <cstring>

#include "simt/warp/context.h"
#include "simt/warp/fill.h"
#include "simt/warp/frames.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

constexpr uint32_t kGreatestDepth = 1024;
constexpr uint32_t kGreatestLocal = 512 * 1024;  // bytes of one thread, as on the card
constexpr uint64_t kMostFrameBytes = uint64_t{1} << 30;  // of one host thread
constexpr uint32_t kWordRow = 4 * kLanes;

uint32_t words(const Slot& slot) { return (slot.size + 3) / 4; }

void copy_slot(const Frame& from, const Slot& source, const Frame& to,
               const Slot& destination, uint32_t mask) {
  const uint32_t count = std::min(words(source), words(destination));
  for (uint32_t word = 0; word < count; ++word) {
    const auto* a = reinterpret_cast<const uint32_t*>(from.registers + source.row +
                                                      word * kWordRow);
    auto* d =
        reinterpret_cast<uint32_t*>(to.registers + destination.row + word * kWordRow);
    for (uint32_t i = 0; i < kLanes; ++i) d[i] = mask >> i & 1 ? a[i] : d[i];
  }
}

/// Room for the local variables of a frame that ends at `top`, zero for `mask`'s lanes.
void make_local(Context& context, uint32_t base, uint32_t top, uint32_t mask) {
  auto& local = context.warp->local;
  const size_t needed = size_t{top} / 4 * kLanes;
  if (local.size() < needed) {
    context.frames->count_bytes(4 * (needed - local.size()));
    local.resize(needed);
  }
  context.local = local.data();
  auto& poison = context.warp->local_poison;
  if (context.frame->code->tracks_local) {
    if (poison.size() < top) poison.resize(top, kFullMask);
    for (uint32_t byte = base; byte < top; ++byte) poison[byte] |= mask;
  }
  for (uint32_t word = base / 4; word < top / 4; ++word) {
    uint32_t* const row = context.local + size_t{word} * kLanes;
    for (uint32_t i = 0; i < kLanes; ++i) row[i] = mask >> i & 1 ? 0 : row[i];
  }
}

/// The end of a time slice at a call: recursion need not branch back to take for ever.
const Step* yield_at_call(Context& context, const Step* step) {
  const uint64_t budget = context.launch->launch->budget;
  if (budget != 0 && context.executed >= budget) {
    return fault(context, step, MtFinding_Timeout, first_lane(context.mask),
                 "the block used up its instruction budget in calls");
  }
  note_state(context, step);
  context.warp->push_ready(current_path(context, step));
  context.stop = Stop::Yielded;
  return nullptr;
}

const Step* call(Context& context, const Step* step, uint32_t callee) {
  Frame& caller = *context.frame;
  const FunctionCode& code = context.program->functions[callee];
  const uint32_t local_base = caller.local_base + caller.code->local_bytes;
  const uint64_t top = uint64_t{local_base} + code.local_bytes;
  close_segment(context, step->instruction);
  if (context.executed >= context.slice_end) return yield_at_call(context, step);
  if (caller.depth + 1 > kGreatestDepth || top > kGreatestLocal) {
    return fault(context, step, MtFinding_StackOverflow, first_lane(context.mask),
                 "calls are nested too deeply");
  }
  if (context.frames->bytes() > kMostFrameBytes) {
    return fault(
        context, step, MtFinding_StackOverflow, first_lane(context.mask),
        "the calls of all threads need more than 1 GiB for their registers and "
        "local variables");
  }
  close_segment(context, step->instruction + 1);
  Frame* frame = context.frames->take(code, *context.block, *context.warp);
  frame->caller = &caller;
  frame->return_to = step + 1;
  frame->local_base = local_base;
  frame->depth = caller.depth + 1;
  fill_frame_rows(code, frame->registers, local_base);
  make_local(context, local_base, static_cast<uint32_t>(top), context.mask);
  copy_slot(caller, caller.code->arguments, *frame, code.parameters, kFullMask);
  Join* join = new_join(context, nullptr, context.mask);
  join->frame = frame;
  return resume(context, {code.steps.data(), context.mask, 0, join, frame});
}

Join* join_of_call(const Context& context) {
  Join* join = context.join;
  while (join->at != nullptr || join->frame != context.frame) join = join->parent;
  return join;
}

}  // namespace

const Step* enter_call(Context& context, const Step* step) {
  return call(context, step, step->b);
}

const Step* enter_indirect_call(Context& context, const Step* step) {
  const auto* target = reinterpret_cast<const uint64_t*>(context.registers + step->a);
  const uint32_t lane = first_lane(context.mask);
  const uint64_t address = target[lane];
  uint32_t group = 0;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    group |= target[i] == address ? 1u << i : 0;
  }
  const uint64_t index = address - kFunctionWindow;
  const auto& functions = context.program->functions;
  if (index >= functions.size() || functions[index].steps.empty()) {
    return fault(context, step, MtFinding_WildPointer, lane,
                 "the called address is no function");
  }
  if (group != context.mask) {
    // The lanes with other targets call later; all meet at the marker behind the call.
    Join* join = context.join;
    if (!join || join->at != step + 1 || join->frame != context.frame || join->broken) {
      join = new_join(context, step + 1, context.mask);
    }
    context.join = join;
    Path rest = current_path(context, step);
    rest.mask = context.mask & ~group;
    context.warp->push_ready(rest);
    set_mask(context, group);
  }
  return call(context, step, static_cast<uint32_t>(index));
}

const Step* leave_call(Context& context, const Step* step) {
  close_segment(context, step->instruction + 1);
  Frame& frame = *context.frame;
  Frame& caller = *frame.caller;
  const uint32_t lanes = context.mask;
  copy_slot(frame, frame.code->returns, caller, caller.code->call_results, lanes);
  Join* const join = join_of_call(context);
  leave_joins(context, context.join, join, lanes);
  join->arrived |= lanes;
  const bool complete = join->arrived == join->expected;
  if (!complete && !join->broken) return next_path(context);
  const Step* const to = frame.return_to;
  const Path path = {to, join->broken ? lanes : join->arrived, to->instruction,
                     join->parent, &caller};
  if (complete) free_join(context, join);
  return resume(context, path);
}

}  // namespace minitorch::simt

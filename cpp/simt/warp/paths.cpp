// The slow roads of control flow: divergence, arrival at joins, exit, and the end of a
// path's time slice.
#include <algorithm>

#include "base/text.h"
#include "simt/warp/context.h"
#include "simt/warp/launch_state.h"
#include "simt/warp/stall.h"

namespace minitorch::simt {

void set_mask(Context& context, uint32_t mask) {
  context.mask = mask;
  context.partial = mask != kFullMask;
  if (!context.partial) return;
  for (uint32_t i = 0; i < kLanes; ++i) {
    context.lanes[i] = 0u - (mask >> i & 1u);
  }
}

void close_segment(Context& context, uint32_t end) {
  context.executed += end - context.segment;
  context.segment = end;
}

const Step* resume(Context& context, const Path& path) {
  if (context.frame != path.frame) {
    Frame& frame = *path.frame;
    context.frame = &frame;
    context.registers = frame.registers;
    context.patterns = frame.patterns;
    context.hits = context.all_hits + context.program->access_base[frame.code->index];
    context.local_bytes = frame.local_base + frame.code->local_end;
  }
  context.join = path.join;
  context.segment = path.segment;
  if (context.mask != path.mask) set_mask(context, path.mask);
  return path.at;
}

const Step* next_path(Context& context) {
  if (context.warp->ready_count == 0) {
    context.stop = Stop::Idle;
    return nullptr;
  }
  return resume(context, context.warp->pop_ready());
}

namespace {

/// The join where a branch's lanes meet again: the one the path already heads for, or a
/// new one; null when they do not meet before the function ends.
Join* join_of_branch(Context& context, const Step* marker) {
  if (marker == nullptr) return context.join;
  Join* join = context.join;
  if (join && join->at == marker && join->frame == context.frame && !join->broken) {
    return join;
  }
  return new_join(context, marker, context.mask);
}

}  // namespace

const Step* diverge(Context& context, const Step* branch, uint32_t taken) {
  close_segment(context, branch->instruction + 1);
  const Step* target = branch + static_cast<int32_t>(branch->b);
  const int32_t to_marker = static_cast<int32_t>(branch->c);
  const Step* marker = to_marker ? branch + to_marker : nullptr;
  Join* join = join_of_branch(context, marker);
  Path there = {target, taken, branch->d, join, context.frame};
  Path here = {branch + 1, context.mask & ~taken, branch->instruction + 1, join,
               context.frame};
  if (marker == target) {
    join->arrived |= there.mask;
    return resume(context, here);
  }
  if (marker == here.at) {
    join->arrived |= here.mask;
    resume(context, there);
    const bool backward = target <= branch;
    return backward && context.executed >= context.slice_end
               ? expire(context, target, branch)
               : target;
  }
  context.warp->push_ready(there);
  return resume(context, here);
}

const Step* jump_table(Context& context, const Step* branch) {
  close_segment(context, branch->instruction + 1);
  const JumpTable& table = context.frame->code->tables[branch->e];
  const auto* index = reinterpret_cast<const uint32_t*>(context.registers + branch->a);
  const int32_t to_marker = static_cast<int32_t>(branch->c);
  const Step* marker = to_marker ? branch + to_marker : nullptr;
  const Step* const steps = context.frame->code->steps.data();
  Join* join = nullptr;
  for (uint32_t left = context.mask; left;) {
    const uint32_t choice = index[first_lane(left)];
    uint32_t group = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      const uint32_t i = first_lane(rest);
      group |= index[i] == choice ? 1u << i : 0;
    }
    if (choice >= table.steps.size()) {
      const std::string what =
          base::text("a branch by index ", choice, " into a table of ",
                     table.steps.size(), " targets");
      return fault(context, branch, MtFinding_WildPointer, first_lane(group),
                   what.c_str());
    }
    if (join == nullptr && group != context.mask)
      join = join_of_branch(context, marker);
    const Step* target = steps + table.steps[choice];
    left &= ~group;
    if (join && target == marker) {
      join->arrived |= group;
    } else {
      context.warp->push_ready({target, group, table.instructions[choice],
                                join ? join : context.join, context.frame});
    }
  }
  return next_path(context);
}

const Step* arrive(Context& context, const Step* marker) {
  close_segment(context, marker->instruction);
  uint32_t lanes = context.mask;
  Join* join = context.join;
  while (join && join->at == marker && join->frame == context.frame) {
    Join* const parent = join->parent;
    join->arrived |= lanes;
    const bool complete = join->arrived == join->expected;
    if (!join->broken) {
      if (!complete) return next_path(context);
      lanes = join->arrived;
    }
    if (complete) free_join(context, join);
    join = parent;
  }
  context.join = join;
  if (lanes != context.mask) set_mask(context, lanes);
  return marker + 1;
}

const Step* exit_lanes(Context& context, const Step* step) {
  close_segment(context, step->instruction + 1);
  Warp& warp = *context.warp;
  const uint32_t lanes = context.mask;
  warp.exited |= lanes;
  warp.exit_function = context.frame->code->index;
  warp.exit_instruction = step->instruction;
  warp.exit_lane = first_lane(lanes);
  context.block->exited += lane_count(lanes);
  leave_joins(context, context.join, nullptr, lanes);
  if (warp.parked_count && !recheck_collectives(context)) return nullptr;
  if (context.block->waiting) recheck_barriers(context, *context.block);
  return next_path(context);
}

namespace {

void note_hot_branch(Context& context, const Step* branch, const Step* target) {
  auto& hot = context.block->hot_branches;
  const auto known = std::find_if(hot.begin(), hot.end(), [&](const HotBranch& item) {
    return item.branch == branch;
  });
  if (known != hot.end()) {
    ++known->count;
    known->waits |= context.looks != nullptr;
    return;
  }
  const uint32_t thread = context.warp->index * kLanes + first_lane(context.mask);
  const bool waits = context.looks != nullptr;
  hot.push_back({branch, target, context.frame->code->index, thread, waits, 1});
}

}  // namespace

const Step* expire(Context& context, const Step* target, const Step* branch) {
  note_hot_branch(context, branch, target);
  const uint64_t budget = context.launch->launch->budget;
  if (budget != 0 && context.executed >= budget) {
    stop_endless(context, *context.block, MtFinding_Timeout,
                 "the block used up its instruction budget");
    return nullptr;
  }
  note_state(context, branch);
  const Path path = current_path(context, target);
  break_stale_joins(context, context.join);
  context.warp->push_ready(path);
  context.stop = Stop::Yielded;
  return nullptr;
}

}  // namespace minitorch::simt

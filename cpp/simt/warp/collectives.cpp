// Bringing together the lanes that a shuffle, vote or warp barrier names.
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

bool waits_with(const Parked& parked, const Step* step, const Frame* frame,
                uint32_t members) {
  return parked.reason == Parked::Reason::Collective && parked.step == step &&
         parked.path.frame == frame && parked.members == members;
}

uint32_t waiting_lanes(const Warp& warp, const Step* step, const Frame* frame,
                       uint32_t members) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    if (waits_with(warp.parked[i], step, frame, members)) {
      lanes |= warp.parked[i].path.mask;
    }
  }
  return lanes;
}

/// Lets the waiting paths of one group go on at `at`.
void wake(Warp& warp, const Step* step, const Frame* frame, uint32_t members,
          const Step* at) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    Parked& parked = warp.parked[i];
    if (waits_with(parked, step, frame, members)) {
      parked.path.at = at;
      warp.push_ready(parked.path);
    } else {
      warp.parked[kept++] = parked;
    }
  }
  warp.parked_count = kept;
}

/// Tells the waiting paths that name some of `lanes` that these had another mask.
void note_strangers(Warp& warp, const Step* step, const Frame* frame, uint32_t lanes) {
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    Parked& parked = warp.parked[i];
    if (parked.reason == Parked::Reason::Collective && parked.step == step &&
        parked.path.frame == frame) {
      parked.strangers |= parked.members & lanes;
    }
  }
}

/// Lanes met at an operation and named different masks; those with the one have exited
/// and never came with the other. On hardware the exit lets the others go on.
bool stop_at_strangers(Context& context, const Parked& parked) {
  Warp& warp = *context.warp;
  const uint32_t strangers = parked.strangers & warp.exited;
  if (strangers == 0) return false;
  FindingRecord record;
  record.kind = MtFinding_WarpSync;
  record.site = site_of(*context.block, warp, *parked.path.frame,
                        parked.step->instruction, first_lane(parked.path.mask));
  record.other = record.site;
  record.other.thread = warp.index * kLanes + first_lane(strangers);
  record.detail = "lanes that meet name different masks";
  if (tolerates(*context.launch->launch, MtFinding_WarpSync)) {
    context.findings->note(context, record);
    return false;
  }
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
  return true;
}

void note_tolerated(Context& context, const Step* step, uint32_t lane,
                    const char* what) {
  FindingRecord record = record_at(context, step, MtFinding_WarpSync, lane);
  record.detail = what;
  context.findings->note(context, record);
}

}  // namespace

const Step* gather_members(Context& context, const Step* step) {
  Warp& warp = *context.warp;
  const auto* members = reinterpret_cast<const uint32_t*>(context.registers + step->e);
  const Path path = current_path(context, step);
  const uint32_t alive = warp.lanes & ~warp.exited;
  uint32_t done = 0;
  for (uint32_t left = path.mask; left;) {
    uint32_t want = members[first_lane(left)];
    uint32_t group = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      const uint32_t i = first_lane(rest);
      group |= members[i] == want ? 1u << i : 0;
    }
    left &= ~group;
    if (group & ~want) {
      const char* const what = "the member mask does not name the calling lane";
      const uint32_t lane = first_lane(group & ~want);
      if (!tolerates(*context.launch->launch, MtFinding_WarpSync)) {
        return fault(context, step, MtFinding_WarpSync, lane, what);
      }
      note_tolerated(context, step, lane, what);
      want |= group;
    }
    const uint32_t together = group | waiting_lanes(warp, step, context.frame, want);
    if ((want & alive & ~together) == 0 || warp.unwaited == step) {
      set_mask(context, together);
      warp.gathered = true;
      step->run[context.partial](context, step);
      warp.gathered = false;
      wake(warp, step, context.frame, want, step + 1);
      note_strangers(warp, step, context.frame, together);
      warp.unwaited = nullptr;
      done |= group;
    } else {
      Parked& parked = warp.parked[warp.parked_count++];
      parked = {path, step, Parked::Reason::Collective, 0, want};
      parked.path.mask = group;
      parked.strangers = want & path.mask & ~group;
    }
  }
  if (done == 0) return next_path(context);
  set_mask(context, done);
  return step + 1;
}

bool tolerates_lost_lanes(const Context& context) {
  return tolerates(*context.launch->launch, MtFinding_WarpSync);
}

void stop_waiting(Warp& warp, uint32_t parked) {
  const Path path = warp.parked[parked].path;
  warp.unwaited = warp.parked[parked].step;
  warp.parked[parked] = warp.parked[--warp.parked_count];
  warp.push_ready(path);
}

bool recheck_collectives(Context& context) {
  Warp& warp = *context.warp;
  const uint32_t alive = warp.lanes & ~warp.exited;
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    const Parked parked = warp.parked[i];
    if (parked.reason != Parked::Reason::Collective) continue;
    const uint32_t together =
        waiting_lanes(warp, parked.step, parked.path.frame, parked.members);
    if ((parked.members & alive & ~together) != 0) continue;
    if (stop_at_strangers(context, parked)) return false;
    // One path comes again and finds all the others waiting.
    warp.push_ready(parked.path);
    warp.parked[i] = warp.parked[--warp.parked_count];
    return true;
  }
  return true;
}

}  // namespace minitorch::simt

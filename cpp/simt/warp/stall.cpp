#include "simt/warp/stall.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "simt/warp/describe.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"
#include "simt/warp/looks.h"

namespace minitorch::simt {
namespace {

struct Waiting {
  const Warp* warp;
  const Parked* parked;
};

/// The first path that waits for `reason`, by thread; null fields if there is none.
Waiting first_waiting(const Block& block, Parked::Reason reason) {
  for (const Warp& warp : block.warps) {
    const Parked* best = nullptr;
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      const Parked& parked = warp.parked[i];
      if (parked.reason != reason) continue;
      if (!best || first_lane(parked.path.mask) < first_lane(best->path.mask)) {
        best = &parked;
      }
    }
    if (best) return {&warp, best};
  }
  return {nullptr, nullptr};
}

Site site_of_waiting(const Block& block, const Waiting& waiting) {
  return site_of(block, *waiting.warp, *waiting.parked->path.frame,
                 waiting.parked->step->instruction,
                 first_lane(waiting.parked->path.mask));
}

/// A join of `warp` at which lanes wait for the parked paths.
const Join* join_with_lanes(const Warp& warp) {
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    for (const Join* join = warp.parked[i].path.join; join; join = join->parent) {
      if (join->arrived != 0 && !join->broken) return join;
    }
  }
  return nullptr;
}

Site site_of_join(const Block& block, const Warp& warp, const Join& join) {
  const Frame& frame = join.at ? *join.frame : *join.frame->caller;
  const Step* const at = join.at ? join.at : join.frame->return_to;
  return site_of(block, warp, frame, at->instruction, first_lane(join.arrived));
}

void stop(Context& context, MtFindingKind kind, const Site& site, const Site& other,
          const std::string& detail, Whereabouts whereabouts = {}) {
  FindingRecord record;
  record.kind = kind;
  record.site = site;
  record.other = other;
  record.detail = detail;
  record.whereabouts = std::move(whereabouts);
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
}

uint32_t line_of(const Context& context, uint32_t function, uint32_t instruction) {
  return line_in_kernel(*context.program->module, function, instruction);
}

/// The backward branch at which the path's last time slice ended; null when it ended at
/// none.
const HotBranch* branch_of(const Block& block, const Path& path) {
  const auto& hot = block.hot_branches;
  const auto found = std::find_if(hot.begin(), hot.end(), [&](const HotBranch& item) {
    return item.target == path.at && item.function == path.frame->code->index;
  });
  return found == hot.end() ? nullptr : &*found;
}

/// Where people are told that the path is: at the end of its loop, if it is in one.
uint32_t instruction_of(const Block& block, const Path& path) {
  const HotBranch* const hot = branch_of(block, path);
  return (hot ? hot->branch : path.at)->instruction;
}

Whereabouts whereabouts_of(const Context& context, const Block& block) {
  std::map<uint32_t, uint32_t> waiting, running;  // threads by line
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      const Parked& parked = warp.parked[i];
      waiting[line_of(context, parked.path.frame->code->index,
                      parked.step->instruction)] += lane_count(parked.path.mask);
    }
  }
  for_each_ready(block, [&](const Warp&, const Path& path) {
    running[line_of(context, path.frame->code->index, instruction_of(block, path))] +=
        lane_count(path.mask);
  });
  Whereabouts found;
  const auto add = [&](const std::map<uint32_t, uint32_t>& lines, int32_t runs) {
    for (const auto& [line, threads] : lines) {
      if (line != 0) found.push_back({line, threads, runs});
    }
  };
  add(waiting, 0);
  add(running, 1);
  return found;
}

/// Lanes that the collective waits for come with another mask.
bool masks_differ(const Waiting& waiting) {
  const Warp& warp = *waiting.warp;
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    const Parked& other = warp.parked[i];
    const bool wanted = (other.path.mask & waiting.parked->members) != 0;
    if (wanted && other.reason == Parked::Reason::Collective &&
        other.step == waiting.parked->step &&
        other.members != waiting.parked->members) {
      return true;
    }
  }
  return false;
}

/// A lane that a collective waits for: where it is.
Site site_of_missing(const Block& block, const Waiting& waiting) {
  const Warp& warp = *waiting.warp;
  const uint32_t missing =
      waiting.parked->members & warp.lanes & ~warp.exited & ~waiting.parked->path.mask;
  for (uint32_t i = 0; i < warp.parked_count; ++i) {
    const Parked& other = warp.parked[i];
    if ((other.path.mask & missing) == 0) continue;
    return site_of(block, warp, *other.path.frame, other.step->instruction,
                   first_lane(other.path.mask & missing));
  }
  const Join* join = join_with_lanes(warp);
  return join ? site_of_join(block, warp, *join) : Site{};
}

/// Another waiting barrier instruction than `first`, if there is one.
Site other_barrier(const Block& block, const Waiting& first) {
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      const Parked& parked = warp.parked[i];
      if (parked.step == first.parked->step) continue;
      return site_of_waiting(block, {&warp, &parked});
    }
  }
  return {};
}

/// Lanes of a warp wait at a barrier, others of it elsewhere: reported; then the others
/// go on as on hardware.
bool release_divergent(Context& context, Block& block) {
  bool released = false;
  for (Warp& warp : block.warps) {
    const Join* join = join_with_lanes(warp);
    if (!join) continue;
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      const Parked& parked = warp.parked[i];
      if (parked.reason != Parked::Reason::Barrier) continue;
      FindingRecord record;
      record.kind = MtFinding_BarrierDivergence;
      record.site = site_of_waiting(block, {&warp, &parked});
      record.other = site_of_join(block, warp, *join);
      record.detail = "threads of one warp diverged before the barrier";
      context.findings->note(context, record);
      break;
    }
    context.warp = &warp;
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      released |= break_joins(context, warp.parked[i].path.join);
    }
  }
  return released;
}

/// Lanes wait for others that never come; true if that is tolerated.
bool resolve_collective(Context& context, Block& block, const Waiting& waiting) {
  const char* const what = masks_differ(waiting)
                               ? "lanes that wait for each other name different masks"
                               : "lanes that the member mask names never arrive";
  const Site site = site_of_waiting(block, waiting);
  const Site missing = site_of_missing(block, waiting);
  if (!tolerates_lost_lanes(context)) {
    stop(context, MtFinding_WarpSync, site, missing, what);
    return false;
  }
  FindingRecord record;
  record.kind = MtFinding_WarpSync;
  record.site = site;
  record.other = missing;
  record.detail = what;
  context.findings->note(context, record);
  Warp& warp = block.warps[waiting.warp->index];
  stop_waiting(warp, static_cast<uint32_t>(waiting.parked - warp.parked.data()));
  return true;
}

}  // namespace

namespace {

/// Any thread that is still on its way; of a block without backward branches.
Site site_of_any(const Block& block) {
  for (const Warp& warp : block.warps) {
    if (warp.ready_count == 0) continue;
    const Path& path = warp.ready[warp.ready_head];
    return site_of(block, warp, *path.frame, path.at->instruction,
                   first_lane(path.mask));
  }
  Site site;
  site.block = block.number;
  return site;
}

bool waits(const Block& block) {
  const auto& hot = block.hot_branches;
  return std::any_of(hot.begin(), hot.end(),
                     [](const HotBranch& branch) { return branch.waits; });
}

/// The first thread that goes round, preferably for memory to change.
Site site_of_spinning(const Block& block) {
  Site found;
  bool best = false;
  for_each_ready(block, [&](const Warp& warp, const Path& path) {
    const HotBranch* const hot = branch_of(block, path);
    const bool spins = hot && hot->waits;
    if (found.known() && (best || !spins)) return;
    best = spins;
    found = site_of(block, warp, *path.frame, instruction_of(block, path),
                    first_lane(path.mask));
  });
  return found;
}

}  // namespace

void stop_endless(Context& context, const Block& block, MtFindingKind kind,
                  const std::string& detail, Whereabouts whereabouts) {
  const auto& hot = block.hot_branches;
  if (hot.empty()) {
    return stop(context, kind, site_of_any(block), {}, detail, std::move(whereabouts));
  }
  const auto hottest = std::max_element(
      hot.begin(), hot.end(),
      [](const HotBranch& a, const HotBranch& b) { return a.count < b.count; });
  const Waiting barrier = first_waiting(block, Parked::Reason::Barrier);
  Site site;
  site.function = hottest->function;
  site.instruction = hottest->branch->instruction;
  site.block = block.number;
  site.thread = hottest->thread;
  stop(context, kind, site, barrier.parked ? site_of_waiting(block, barrier) : Site{},
       detail, std::move(whereabouts));
}

void stop_late(Context& context, const Block& block) {
  const double seconds = static_cast<double>(context.launch->launch->time_limit) * 1e-9;
  stop_endless(context, block, MtFinding_Timeout,
               base::text("in ", seconds, " s of processor time no block has ended",
                          waits_for_host(*context.launch, block)
                              ? "; threads wait for the host to change its memory"
                              : ""),
               whereabouts_of(context, block));
}

void stop_repeating(Context& context, const Block& block, bool all_started) {
  if (!waits(block) && block.waiting == 0) {
    return stop_endless(context, block, MtFinding_Timeout,
                        "a loop goes round with the same values for ever");
  }
  const Site spinning = site_of_spinning(block);
  Waiting holder = first_waiting(block, Parked::Reason::Collective);
  const char* at =
      "threads wait at a warp operation for others, and these for a value "
      "that nobody will write";
  if (!holder.parked) {
    holder = first_waiting(block, Parked::Reason::Barrier);
    at = "threads wait at a barrier for others, and these for a value that nobody will "
         "write";
  }
  std::string what = "threads wait for a value that nobody will write";
  const std::string arrivals = arrivals_text(context, block);
  if (!all_started && waits_for_others(block)) {
    what =
        "threads wait for blocks that have not started: not all blocks of the grid run "
        "at once";
  } else if (!arrivals.empty()) {
    what = arrivals;
  } else if (holder.parked) {
    what = at;
  }
  // Who waits in vain is not at fault: they are held up by who waits for them.
  const bool held = holder.parked && arrivals.empty();
  stop(context, MtFinding_Deadlock, held ? site_of_waiting(block, holder) : spinning,
       held ? spinning : Site{}, what, whereabouts_of(context, block));
}

bool resolve_stall(Context& context, Block& block) {
  const Waiting collective = first_waiting(block, Parked::Reason::Collective);
  if (collective.parked) return resolve_collective(context, block, collective);
  if (release_divergent(context, block)) return true;
  const Waiting barrier = first_waiting(block, Parked::Reason::Barrier);
  if (!barrier.parked) return false;
  const Site other = other_barrier(block, barrier);
  const BarrierState& state = block.barriers[barrier.parked->barrier];
  const bool named = barrier.parked->barrier != 0 || state.count != 0;
  if (other.known() && named) {
    stop(context, MtFinding_Deadlock, site_of_waiting(block, barrier), other,
         "threads wait for each other at different barriers",
         whereabouts_of(context, block));
  } else {
    stop(context, named ? MtFinding_Deadlock : MtFinding_BarrierDivergence,
         site_of_waiting(block, barrier), other,
         state.count == 0
             ? "the barrier waits for threads that never arrive"
             : base::text("barrier ", barrier.parked->barrier, " has ", state.arrived,
                          " of ", state.count, " threads and nobody else comes"),
         whereabouts_of(context, block));
  }
  return false;
}

}  // namespace minitorch::simt

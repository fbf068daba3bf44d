#include "simt/warp/polling.h"

#include <map>

#include "base/text.h"
#include "simt/warp/describe.h"
#include "simt/warp/findings.h"

namespace minitorch::simt {
namespace {

/// Turns in which time flies, 2^turn ns each, hours in all; then turns in which all
/// must repeat themselves, more than a warp has paths.
constexpr uint32_t kFlight = 42, kStill = 40;
/// After so many turns without repeating time goes on: somebody counts.
constexpr uint32_t kMostIdleTurns = 1024;

struct Census {
  /// Threads by mbarrier and line that ask in vain, by line that wait at barriers.
  std::map<uint32_t, std::map<uint32_t, uint32_t>> asking;
  std::map<uint32_t, uint32_t> parked;
  Site first, other;  // who asks, who waits elsewhere or has left
};

void count_asking(const Context& context, const Block& block, const Warp& warp,
                  const Path& path, Census& census) {
  for (uint32_t left = path.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint32_t thread = warp.index * kLanes + lane;
    const MbarrierPoll& poll = block.mbarriers->polls[thread];
    if (poll.step == nullptr) continue;
    const uint32_t line =
        line_in_kernel(*context.program->module, poll.function, poll.step->instruction);
    ++census.asking[poll.at][line];
    if (census.first.known()) continue;
    const Frame* frame = path.frame;
    while (frame->caller && frame->code->index != poll.function) frame = frame->caller;
    census.first = site_of(block, warp, *frame, poll.step->instruction, lane);
    census.first.function = poll.function;
  }
}

Census take_census(const Context& context, const Block& block) {
  Census census;
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.ready_count; ++i) {
      const Path& path = warp.ready[(warp.ready_head + i) % kLanes];
      count_asking(context, block, warp, path, census);
    }
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      const Parked& parked = warp.parked[i];
      const Frame& frame = *parked.path.frame;
      census.parked[line_in_kernel(*context.program->module, frame.code->index,
                                   parked.step->instruction)] +=
          lane_count(parked.path.mask);
      if (census.other.known()) continue;
      census.other = site_of(block, warp, frame, parked.step->instruction,
                             first_lane(parked.path.mask));
    }
  }
  for (const Warp& warp : block.warps) {
    if (warp.exited == 0 || census.other.known()) continue;
    census.other.function = warp.exit_function;
    census.other.instruction = warp.exit_instruction;
    census.other.block = block.number;
    census.other.thread = warp.index * kLanes + warp.exit_lane;
  }
  return census;
}

std::string lines_text(const std::map<uint32_t, uint32_t>& lines) {
  std::string text;
  for (const auto& [line, threads] : lines) {
    if (!text.empty()) text += ", ";
    text += base::text(threads, " waiting at line ", line);
  }
  return text;
}

void stop_deadlocked(Context& context, const Block& block) {
  const Census census = take_census(context, block);
  std::string text;
  for (const auto& [at, lines] : census.asking) {
    const Mbarrier& mbarrier = block.mbarriers->all.at(at);
    if (!text.empty()) text += "; ";
    text += base::text("mbarrier ", name_of_place(*context.launch, MtSpace_Shared, at),
                       " has ", mbarrier.needed - mbarrier.word.pending, " of ",
                       mbarrier.needed,
                       " arrivals and nobody else comes: ", lines_text(lines));
  }
  if (!census.parked.empty()) text += "; at barriers: " + lines_text(census.parked);
  if (block.exited) {
    text += base::text("; ", block.exited, block.exited == 1 ? " has" : " have",
                       " left the kernel");
  }
  FindingRecord record;
  record.kind = MtFinding_Deadlock;
  record.site = census.first;
  record.other = census.other;
  record.detail = text;
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
}

}  // namespace

Outlook watch_polling(Context& context, Block& block, const BlockTurn& turn) {
  if (!block.mbarriers) return Outlook::Free;
  Mbarriers& mbarriers = *block.mbarriers;
  Polling& polling = mbarriers.polling;
  const bool idle = turn.polls && mbarriers.changes == mbarriers.seen;
  mbarriers.seen = mbarriers.changes;
  const bool counts = polling.repeated == 0 && polling.turns > kMostIdleTurns;
  if (!idle || counts) {
    polling.turns = polling.repeated = 0;
    polling.outside = false;
    block.time.go_on(BlockTime::Polling);
    return Outlook::Free;
  }
  ++polling.turns;
  polling.outside |= turn.outside;
  const Outlook waiting = polling.outside ? Outlook::Free : Outlook::Waiting;
  if (polling.turns <= kFlight) {
    block.time.skip(uint64_t{1} << polling.turns);
    return waiting;
  }
  block.time.stop(BlockTime::Polling);
  polling.repeated = turn.repeats ? polling.repeated + 1 : 0;
  if (polling.outside || polling.repeated < kStill) return waiting;
  stop_deadlocked(context, block);
  return Outlook::Deadlock;
}

}  // namespace minitorch::simt

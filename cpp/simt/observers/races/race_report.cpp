// How a race becomes a finding: both threads, both lines, the variable, and what would
// have ordered the accesses.
#include <algorithm>

#include "base/text.h"
#include "simt/observers/races/race_detector.h"
#include "simt/warp/bounds.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

/// `warps`: of one block. Only the first pair of threads is reported, so two threads of
/// one warp do not say that no other warp uses these lines.
MtRemedy remedy_of(const RaceThread& by, const Block& block, const Warp& warp,
                   uint32_t warps) {
  if (by.block != block.number) return MtRemedy_AtomicOrSecondKernel;
  if (by.warp != warp.index) return MtRemedy_BlockBarrier;
  return warps == 1 ? MtRemedy_OneWarpBarrier : MtRemedy_BlockOrWarpBarrier;
}

/// A read that came before any write has got no value in this order of the threads.
bool read_first(const BlockRaces& races, uint64_t address) {
  return std::any_of(
      races.unwritten.begin(), races.unwritten.end(),
      [&](const UnwrittenRead& read) { return read.address == address; });
}

}  // namespace

uint64_t RaceDetector::variable_at(const Context& context, uint64_t address,
                                   bool shared) const {
  if (!shared) {
    Allocation room;
    const Allocation* const found = find_allocation(context, address, room);
    return found ? found->base : 0;
  }
  const auto after =
      std::upper_bound(shared_starts_.begin(), shared_starts_.end(), address);
  return after == shared_starts_.begin() ? 0 : *std::prev(after);
}

void RaceDetector::report(const RaceSeen& seen, uint64_t cell, Epoch other, bool benign,
                          bool in_flight) {
  Context& context = seen.context;
  Block& block = *context.block;
  const bool shared = seen.touch.shared;
  const RacePlace& its = history_.place(block, other, shared);
  const RacePlace& mine = history_.place(block, seen.epoch(), shared);
  const uint64_t address = seen.address_of(cell);
  if (shared && !benign) races_of(block).raced.push_back(address);
  const uint64_t variable = variable_at(context, address, shared);
  const MtFindingKind kind = benign   ? MtFinding_RaceBenign
                             : shared ? MtFinding_RaceShared
                                      : MtFinding_RaceGlobal;
  const auto [low, high] = std::minmax(mine.line, its.line);
  const auto key = std::make_tuple(int32_t{kind}, low, high, variable);
  auto& reported = races_of(block).reported;
  if (reported.contains(key)) return;
  if (!(launch_.launch->checks & MtCheck_Race)) return;
  if (races_of(block).reports == kMostReports)
    return tell_many(context, seen.touch.step);
  ++races_of(block).reports;
  reported.insert(key);
  const RaceThread by = history_.thread(block, other, shared);
  FindingRecord record = record_at(context, seen.touch.step, kind, seen.lane);
  record.other.function = its.code->index;
  record.other.instruction = its.step->instruction;
  record.other.block = by.block;
  record.other.thread = by.warp * kLanes + by.lane;
  record.other.callers = its.callers;
  record.space = shared ? MtSpace_Shared : MtSpace_Global;
  record.access = access_of(*seen.touch.form);
  record.address = seen.address();
  record.size = seen.touch.form->size();
  record.lines[0] = low;
  record.lines[1] = high;
  record.raced = variable;
  record.other_access = in_flight ? MtAccess_CopyTo : access_of(its.form());
  record.remedy = benign      ? MtRemedy_SameValue
                  : in_flight ? MtRemedy_AwaitCopy
                              : remedy_of(by, block, *context.warp, launch_.warps);
  record.read_first = shared && read_first(races_of(block), address);
  context.findings->note(context, record);
}

void RaceDetector::tell_many(const Context& context, const Step* step) {
  BlockRaces& races = races_of(*context.block);
  if (std::exchange(races.gave_up, true)) return;
  FindingRecord record =
      record_at(context, step, MtFinding_OutputLimit, first_lane(context.mask));
  record.detail =
      base::text("the block was searched for races up to here only: more than ",
                 kMostReports, " pairs of lines race");
  context.findings->note(context, record);
}

}  // namespace minitorch::simt

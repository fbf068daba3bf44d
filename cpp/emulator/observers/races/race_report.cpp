// Owns how a race becomes a finding: both threads, both lines, the variable, and what
// would have ordered the accesses. Must not know when accesses race.
#include <algorithm>

#include "base/text.h"
#include "emulator/bounds.h"
#include "emulator/launch_state.h"
#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {
namespace {

const char* word_of(const MemoryForm& form) {
  switch (form.kind) {
    case MemoryForm::Kind::Load:
      return "reads";
    case MemoryForm::Kind::Store:
      return "writes";
    default:
      return "atomically changes";
  }
}

/// `warps`: of one block. Only the first pair of threads is reported, so two threads of
/// one warp do not say that no other warp uses these lines.
const char* remedy(const RaceThread& by, const Block& block, const Warp& warp,
                   uint32_t warps) {
  if (by.block != block.number) {
    return "different blocks: use an atomic or a second kernel, or publish with "
           "__threadfence() and an atomic flag";
  }
  if (by.warp != warp.index) return "same block: put __syncthreads() between them";
  if (warps == 1) {
    return "same block: put __syncthreads() between them; the block is one warp, so "
           "__syncwarp() is enough: its threads need not run in step";
  }
  return "same block: put __syncthreads() between them, or __syncwarp() where only "
         "threads of one warp share the data";
}

constexpr const char* kCopyRemedy =
    "the copy was not waited for: wait for it (cp.async.wait_group, "
    "pipeline.consumer_wait(), barrier.wait()) and then let the threads meet";

/// A read that came before any write has got no value in this order of the threads.
const char* unwritten_words(const BlockRaces& races, uint64_t address) {
  const bool found =
      std::any_of(races.unwritten.begin(), races.unwritten.end(),
                  [&](const UnwrittenRead& read) { return read.address == address; });
  return found ? " (here the read came first and found no value)" : "";
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
  record.detail = base::text(
      "the other thread ", in_flight ? "copies to" : word_of(its.form()), "; ",
      benign      ? "both store the same value"
      : in_flight ? kCopyRemedy
                  : remedy(by, block, *context.warp, launch_.warps),
      shared ? unwritten_words(races_of(block), address) : "");
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

}  // namespace minitorch::emulator

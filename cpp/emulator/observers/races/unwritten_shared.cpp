// Owns the report of loads from shared memory that nobody has written: at the load, but
// only when the interval up to the next barrier shows no race there. Must not know how
// writes are remembered.
#include <algorithm>
#include <map>

#include "emulator/launch_state.h"
#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {
namespace {

/// More loads of one interval are not told apart.
constexpr size_t kGreatestReads = size_t{1} << 20;

/// What has not been written after so many barriers will hardly ever be.
constexpr uint32_t kGreatestScans = 4;

}  // namespace

void RaceDetector::note_unwritten(const RaceSeen& seen) {
  const RaceShadow& shadow = seen.shadow;
  const MemoryForm& form = *seen.touch.form;
  const Epoch* const write = shadow.write + shadow.cell_of(seen.address());
  const uint32_t cells = form.size() >> shadow.cell_shift;
  const uint32_t each = cells / form.vector;
  uint32_t components = 0, written = 0;
  for (uint32_t i = 0; i < cells; ++i) {
    const bool known = write[i] >= shadow.unwritten;
    written += known;
    components |= known ? 0 : 1u << (i / each);
  }
  if (components == 0) return;
  // Padding of a struct that is moved as a whole.
  if (written != 0 && form.kind == MemoryForm::Kind::Load) {
    components &= ~copied_components(seen.context, seen.touch.step);
  }
  auto& reads = races_of(*seen.context.block).unwritten;
  if (components == 0 || reads.size() >= kGreatestReads) return;
  const uint32_t number = seen.epoch() >> 10;
  reads.push_back({seen.address(), seen.context.warp->index * kLanes + seen.lane,
                   races_of(*seen.context.block).shared_place[number]});
}

/// Loads need not look where all has been written.
void RaceDetector::look_for_unwritten(BlockRaces& races) {
  if (races.filled || races.scans++ >= kGreatestScans) return;
  const RaceShadow& shadow = races.shared;
  uint32_t missing = 0;
  for (uint64_t i = 0; i < shadow.bytes >> shadow.cell_shift; ++i) {
    missing |= shadow.write[i] < shadow.unwritten;
  }
  races.filled = missing == 0;
}

void RaceDetector::report_unwritten(Context& context, Block& block) const {
  BlockRaces& races = races_of(block);
  if (races.unwritten.empty()) return;
  std::sort(races.raced.begin(), races.raced.end());
  std::map<uint32_t, std::pair<const UnwrittenRead*, uint64_t>> found;  // by place
  for (const UnwrittenRead& read : races.unwritten) {
    const uint64_t end = read.address + places_[read.place].form().size();
    const auto raced =
        std::lower_bound(races.raced.begin(), races.raced.end(), read.address);
    if (raced != races.raced.end() && *raced < end) continue;
    auto& [first, count] = found.try_emplace(read.place, &read, 0).first->second;
    if (read.thread < first->thread) first = &read;
    ++count;
  }
  for (const auto& [number, reads] : found) {
    const RacePlace& place = places_[number];
    FindingRecord record;
    record.kind = MtFinding_UninitShared;
    record.site.function = place.code->index;
    record.site.instruction = place.step->instruction;
    record.site.block = block.number;
    record.site.thread = reads.first->thread;
    record.site.callers = place.callers;
    record.space = MtSpace_Shared;
    record.access =
        place.form().kind == MemoryForm::Kind::Load ? MtAccess_Read : MtAccess_Atomic;
    record.address = reads.first->address;
    record.size = place.form().size();
    context.findings->note(context, record, reads.second);
  }
  races.unwritten.clear();
}

}  // namespace minitorch::emulator

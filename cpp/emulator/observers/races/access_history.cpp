// Owns the records behind epochs: which instruction, by which calls, of which warp; and
// the memory of the shadows. Must not know what a race is.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "emulator/launch_state.h"
#include "emulator/observers/races/race_detector.h"
#include "emulator/replay.h"

namespace minitorch::emulator {
namespace {

uint32_t smallest_access(const Program& program, ptx::Space space) {
  uint32_t least = 4;
  for (const FunctionCode& code : program.functions) {
    for (const MemoryForm& form : code.accesses) {
      const bool same = form.space == space || form.space == ptx::Space::Generic;
      if (same) least = std::min<uint32_t>(least, form.bytes);
    }
  }
  return least;
}

uint32_t log2_of(uint32_t value) {
  return 31 - static_cast<uint32_t>(__builtin_clz(value));
}

/// That both store the same value is not said of lines that also store different values
/// into the same variable.
void drop_benign(MergedNotes& notes) {
  std::erase_if(notes.all, [&](const auto& note) {
    Findings::Key key = note.first;
    if (key.kind != MtFinding_RaceBenign) return false;
    bool races = false;
    for (const MtFindingKind kind : {MtFinding_RaceShared, MtFinding_RaceGlobal}) {
      key.kind = kind;
      races |= notes.all.contains(key);
    }
    return races;
  });
}

}  // namespace

const ObserverRow kRacesRow = {
    kRaceChecks, true,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<RaceDetector>(launch);
    },
    &drop_benign};

RaceDetector::RaceDetector(const LaunchState& launch)
    : launch_(launch), access_count_(launch.program->access_count) {
  const Memory& memory = *launch.launch->memory;
  places_.resize(access_count_);
  find_shared_variables();
  uint32_t numbers = 1;
  while (numbers < access_count_ && run_bits_ < 4) numbers = 1u << ++run_bits_;
  global.thread_bits = ~(((1u << run_bits_) - 1) << 5);
  global.cell_shift = log2_of(smallest_access(*launch.program, ptx::Space::Global));
  global.origin = memory.arena_base();
  const uint64_t bytes = launch.used_end(memory) - global.origin;
  const uint64_t length =
      ((bytes >> global.cell_shift) * sizeof(Epoch) + 2 * kPage) / kPage * kPage;
  memory_ = take_global_shadow(length);
  if (memory_.epochs == nullptr) return;
  first_number_ = next_number_ = memory_.next_number;
  last_number_ = first_number_ + std::min(kGreatestGlobalNumber - first_number_,
                                          launch.launch->race_limit);
  global.old = (next_number_ << 5) - 1;
  global.write = memory_.epochs;
  global.read = global.write + memory_.length / sizeof(Epoch);
  global.second = global.read + memory_.length / sizeof(Epoch);
  global.write2 = global.second + memory_.length / sizeof(Epoch);
  global.bytes = bytes;
  const ptx::Function& entry = *launch.entry().function;
  global.careful = entry.uses_fence || entry.uses_mbarrier;
  global.slow = global.careful || global.cell_shift != 2;
}

RaceDetector::~RaceDetector() {
  empty_logs();
  // Whole runs of numbers, of whatever length the next launch has.
  memory_.next_number = (next_number_ + 63) / 64 * 64;
  if (memory_.epochs) give_global_shadow(memory_);
}

void RaceDetector::find_shared_variables() {
  const ptx::Module& module = *launch_.program->module;
  for (const FunctionCode& code : launch_.program->functions) {
    if (code.function == nullptr) continue;
    for (uint32_t index : code.function->own_variables) {
      const ptx::Variable& variable = module.variables[index];
      if (variable.space != ptx::Space::Shared || variable.external) continue;
      shared_starts_.push_back(variable.offset);
    }
  }
  shared_starts_.push_back(launch_.dynamic_start);
  std::sort(shared_starts_.begin(), shared_starts_.end());
}

std::unique_ptr<ObservedBlock> RaceDetector::make_block() const {
  auto races = std::make_unique<BlockRaces>();
  RaceShadow& shadow = races->shared;
  shadow.cell_shift = log2_of(smallest_access(*launch_.program, ptx::Space::Shared));
  shadow.bytes = launch_.shared_bytes;
  const ptx::Function& entry = *launch_.entry().function;
  shadow.careful = entry.uses_fence || entry.uses_mbarrier;
  shadow.slow = shadow.careful || shadow.cell_shift != 2;
  const size_t cells = (shadow.bytes >> shadow.cell_shift) + 64;
  races->shared_epochs.resize(4 * cells);
  shadow.write = races->shared_epochs.data();
  shadow.read = shadow.write + cells;
  shadow.second = shadow.read + cells;
  shadow.write2 = shadow.second + cells;
  races->shared_place.resize(2);
  races->warps.resize(launch_.warps);
  for (WarpRaces& warp : races->warps) warp.cached.resize(access_count_);
  return races;
}

void RaceDetector::start_block(Block& block) {
  BlockRaces& races = races_of(block);
  running_ = nullptr;
  // All that the block before did in this shared memory is over.
  races.full = now(block);
  races.full.global = 0;
  races.shared.old = races.full.shared;
  races.known.clear();
  races.arrived.clear();
  races.reported.clear();
  races.reports = 0;
  races.gave_up = false;
  races.orders.reset();
  races.phases.reset();
  races.copying = false;
  races.shared.unwritten = 0;
  forget_shared(races, kGreatestSharedNumber / 2);
  if (launch_.launch->checks & MtCheck_UninitShared) {
    races.shared.unwritten = races.shared.old + 1;
  }
  races.trusted = true;
  races.filled = races.shared.unwritten == 0;
  races.scans = 0;
  for (WarpRaces& warp : races.warps) {
    open_interval(warp);
    warp.synced = {};
    warp.lanes.reset();
  }
}

void RaceDetector::forget_shared(BlockRaces& races, uint32_t from) const {
  if (races.shared_place.size() < from) return;
  // What was written stays so: the place 1 stands for all writes before.
  RaceShadow& shadow = races.shared;
  const size_t cells = races.shared_epochs.size() / 4;
  for (size_t i = 0; i < cells; ++i) {
    shadow.write[i] =
        shadow.unwritten && shadow.write[i] >= shadow.unwritten ? 1024 : 0;
  }
  std::fill(races.shared_epochs.begin() + static_cast<std::ptrdiff_t>(cells),
            races.shared_epochs.end(), Epoch{0});
  races.shared_place.resize(2);
  ++races.numbering;
  if (shadow.unwritten) shadow.unwritten = 1024;
  races.full.shared = shadow.old = 2047;
  races.known.clear();
  races.arrived.clear();
  if (races.phases) races.phases->forget_shared();
  for (WarpRaces& warp : races.warps) {
    open_interval(warp);
    warp.synced.shared = 0;
    warp.lanes.reset();
  }
}

void RaceDetector::enter_block(const Block& block) {
  if (running_ == &block) return;
  running_ = &block;
  global.low = next_number_ << 5;
  global.span = 0;
}

void RaceDetector::open_interval(WarpRaces& warp) const {
  ++warp.interval;
  warp.next_number = warp.end_number = 0;
}

Bound RaceDetector::now(const Block& block) const {
  const auto shared = static_cast<Epoch>(races_of(block).shared_place.size());
  return {(shared << 10) - 1, (next_number_ << 5) - 1};
}

uint32_t RaceDetector::line_of(const FunctionCode& code, const Step* step) {
  const ptx::Module& module = *launch_.program->module;
  const uint32_t index = code.function->instructions[step->instruction].position;
  std::tuple<uint32_t, uint32_t, uint32_t> key{ptx::kNone, code.index,
                                               step->instruction};
  if (index < module.positions.size() && module.positions[index].line != 0) {
    const ptx::Position& at = module.positions[index];
    key = {at.file, static_cast<uint32_t>(at.line), at.inlined_at};
  }
  return lines_.try_emplace(key, static_cast<uint32_t>(lines_.size())).first->second;
}

uint32_t RaceDetector::place_of(const Context& context, const Step* step,
                                uint64_t calls) {
  const FunctionCode& code = *context.frame->code;
  const uint32_t access = launch_.program->access_base[code.index] + step->e;
  uint32_t number = access;
  if (calls != 0) {
    const auto [at, fresh] = called_places_.try_emplace(
        {access, calls}, static_cast<uint32_t>(places_.size()));
    number = at->second;
    if (fresh) places_.emplace_back();
  }
  RacePlace& place = places_[number];
  if (place.step == nullptr) {
    place.step = step;
    place.code = &code;
    place.line = line_of(code, step);
    place.callers = site_at(context, step, 0).callers;
  }
  return number;
}

Epoch RaceDetector::new_shared_epoch(Block& block, uint32_t warp, uint32_t place) {
  BlockRaces& races = races_of(block);
  forget_shared(races, kGreatestSharedNumber);
  const auto number = static_cast<Epoch>(races.shared_place.size());
  races.shared_place.push_back(place);
  return number << 10 | warp << 5;
}

Epoch RaceDetector::new_global_epoch(const Block& block, WarpRaces& warp,
                                     uint32_t index, uint32_t place) {
  if (warp.next_number == warp.end_number) {
    if (next_number_ >= last_number_) {
      global.slow = true;  // out of numbers: further races are lost
      return 0;
    }
    warp.next_number = next_number_;
    warp.end_number = next_number_ += 1u << run_bits_;
    runs_.push_back({static_cast<uint32_t>(block.number), index});
    global_place_.resize(next_number_ - first_number_);
  }
  global_place_[warp.next_number - first_number_] = place;
  return warp.next_number++ << 5;
}

Epoch RaceDetector::new_epoch(const Context& context, const Step* step, bool shared) {
  Block& block = *context.block;
  const uint32_t index = context.warp->index;
  WarpRaces& warp = races_of(block).warps[index];
  uint64_t calls = 0;
  for (const Frame* at = context.frame; at->caller; at = at->caller) {
    calls = calls * 0x9e37'79b9'7f4a'7c15 + reinterpret_cast<uint64_t>(at->return_to);
  }
  const uint32_t access =
      launch_.program->access_base[context.frame->code->index] + step->e;
  WarpRaces::Cached& cached = warp.cached[access];
  if (cached.calls != calls) cached = {};
  cached.calls = calls;
  if (shared) {
    if (cached.shared_interval != warp.interval) {
      cached.shared = new_shared_epoch(block, index, place_of(context, step, calls));
      cached.shared_interval = warp.interval;
    }
    return cached.shared;
  }
  if (cached.global_interval != warp.interval) {
    cached.global =
        new_global_epoch(block, warp, index, place_of(context, step, calls));
    if (cached.global == 0) tell_limit(context, step);
    cached.global_interval = warp.interval;
  }
  return cached.global;
}

void RaceDetector::tell_limit(const Context& context, const Step* step) {
  if (std::exchange(told_limit_, true)) return;
  FindingRecord record =
      record_at(context, step, MtFinding_OutputLimit, first_lane(context.mask));
  record.detail =
      "races on global memory were searched for up to here only: too many "
      "stretches between synchronisations";
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

const RacePlace& RaceDetector::place(const Block& block, Epoch epoch,
                                     bool shared) const {
  const uint32_t number = shared
                              ? races_of(block).shared_place[(epoch & ~kFar) >> 10]
                              : global_place_[((epoch & ~kFar) >> 5) - first_number_];
  return places_[number];
}

void RaceDetector::allocate(uint64_t address, uint64_t size) {
  if (memory_.epochs == nullptr || !global.covers(address, size)) return;
  const uint64_t first = global.cell_of(address);
  const uint64_t last = global.cell_of(address + size - 1);
  for (Epoch* const epochs :
       {global.write, global.read, global.second, global.write2}) {
    for (uint64_t cell = first; cell <= last; ++cell) {
      if (epochs[cell] != 0) epochs[cell] = 0;  // pages of zeros cost no memory
    }
  }
}

ReplayPolicy RaceDetector::learn(const Replay& replay) {
  return replay.has_no_races() ? ReplayPolicy::Unseen : ReplayPolicy::Never;
}

RaceThread RaceDetector::thread(const Block& block, Epoch epoch, bool shared) const {
  const Epoch near = epoch & ~kFar;
  if (shared) return {block.number, near >> 5 & 31, near & kLaneBits};
  const Run& run = runs_[((near >> 5) - first_number_) >> run_bits_];
  return {run.block, run.warp, near & kLaneBits};
}

}  // namespace minitorch::emulator

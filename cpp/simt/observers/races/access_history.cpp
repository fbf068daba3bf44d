#include "simt/observers/races/access_history.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
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

}  // namespace

AccessHistory::AccessHistory(const LaunchState& launch)
    : launch_(launch), access_count_(launch.program->access_count) {
  const Memory& memory = *launch.launch->memory;
  places_.resize(access_count_);
  uint32_t numbers = 1;
  while (numbers < access_count_ && run_bits_ < 4) numbers = 1u << ++run_bits_;
  global.thread_bits = ~(((1u << run_bits_) - 1) << 5);
  global.cell_shift = log2_of(smallest_access(*launch.program, ptx::Space::Global));
  global.origin = memory.arena_base();
  const auto take_to = [&](uint64_t end) {
    global.bytes = end - global.origin;
    const uint64_t cells = global.bytes >> global.cell_shift;
    memory_ = take_global_shadow((cells * sizeof(Epoch) + 2 * kPage) / kPage * kPage);
  };
  try {
    take_to(launch.used_end(memory));
  } catch (const base::MemoryError&) {
    if (!launch.allocates()) throw;
    // All of the arena is for kernels that allocate and free for long.
    const uint64_t end = launch.known_end(memory) + 2 * launch.launch->heap_limit;
    take_to(std::min(end, launch.used_end(memory)));
  }
  first_number_ = next_number_ = memory_.next_number;
  last_number_ = first_number_ + std::min(kGreatestGlobalNumber - first_number_,
                                          launch.launch->race_limit);
  global.old = (next_number_ << 5) - 1;
  global.write = memory_.epochs;
  global.read = global.write + memory_.length / sizeof(Epoch);
  global.second = global.read + memory_.length / sizeof(Epoch);
  global.write2 = global.second + memory_.length / sizeof(Epoch);
  const ptx::Function& entry = *launch.entry().function;
  global.careful = entry.uses_fence || entry.uses_mbarrier;
  global.slow = global.careful || global.cell_shift != 2;
}

AccessHistory::~AccessHistory() {
  // Whole runs of numbers, of whatever length the next launch has.
  memory_.next_number = (next_number_ + 63) / 64 * 64;
  give_global_shadow(memory_);
}

std::unique_ptr<BlockRaces> AccessHistory::make_block() const {
  auto races = std::make_unique<BlockRaces>();
  RaceShadow& shadow = races->shared;
  shadow.cell_shift = log2_of(smallest_access(*launch_.program, ptx::Space::Shared));
  shadow.bytes = launch_.shared_bytes;
  const ptx::Function& entry = *launch_.entry().function;
  shadow.careful = entry.uses_fence || entry.uses_mbarrier;
  shadow.slow = shadow.careful || shadow.cell_shift != 2;
  const size_t cells = (shadow.bytes >> shadow.cell_shift) + 64 + kShadowMargin;
  races->shared_epochs.resize(4 * cells);
  shadow.write = races->shared_epochs.data() + kShadowMargin;
  shadow.read = shadow.write + cells;
  shadow.second = shadow.read + cells;
  shadow.write2 = shadow.second + cells;
  races->shared_place.resize(2);
  races->warps.resize(launch_.warps);
  for (WarpRaces& warp : races->warps) warp.cached.resize(access_count_);
  return races;
}

void BlockRaces::forget_shared(uint32_t from) {
  if (shared_place.size() < from) return;
  // What was written stays so: the place 1 stands for all writes before.
  const size_t cells = shared_epochs.size() / 4;
  for (size_t i = 0; i < cells; ++i) {
    Epoch& write = shared_epochs[i];
    write = shared.unwritten && write >= shared.unwritten ? 1024 : 0;
  }
  std::fill(shared_epochs.begin() + static_cast<std::ptrdiff_t>(cells),
            shared_epochs.end(), Epoch{0});
  shared_place.resize(2);
  ++numbering;
  if (shared.unwritten) shared.unwritten = 1024;
  full.shared = shared.old = 2047;
  known.clear();
  arrived.clear();
  if (phases) phases->forget_shared();
  for (WarpRaces& warp : warps) {
    warp.open_interval();
    warp.synced.shared = 0;
    warp.lanes.reset();
  }
}

void AccessHistory::enter_block(const Block& block) {
  if (running_ == &block) return;
  running_ = &block;
  global.low = next_number_ << 5;
  global.span = 0;
}

void AccessHistory::leave_barrier(const Block& block) {
  if (running_ == &block) global.span = (next_number_ << 5) - global.low;
}

Bound AccessHistory::now(const Block& block) const {
  const auto shared = static_cast<Epoch>(races_of(block).shared_place.size());
  return {(shared << 10) - 1, (next_number_ << 5) - 1};
}

uint32_t AccessHistory::line_of(const FunctionCode& code, const Step* step) {
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

[[gnu::noinline]] void AccessHistory::describe(RacePlace& place, const Context& context,
                                               const Step* step) {
  place.step = step;
  place.code = context.frame->code;
  place.line = line_of(*place.code, step);
  place.callers = site_at(context, step, 0).callers;
}

uint32_t AccessHistory::place_of(const Context& context, const Step* step,
                                 size_t access, uint64_t calls) {
  auto number = static_cast<uint32_t>(access);
  if (calls != 0) {
    const auto [at, fresh] = called_places_.try_emplace(
        {number, calls}, static_cast<uint32_t>(places_.size()));
    number = at->second;
    if (fresh) places_.emplace_back();
  }
  RacePlace& place = places_[number];
  if (place.step == nullptr) describe(place, context, step);
  return number;
}

Epoch AccessHistory::new_shared_epoch(BlockRaces& races, uint32_t warp,
                                      uint32_t place) {
  races.forget_shared(kGreatestSharedNumber);
  const auto number = static_cast<Epoch>(races.shared_place.size());
  races.shared_place.push_back(place);
  return number << 10 | warp << 5;
}

Epoch AccessHistory::new_global_epoch(const Block& block, WarpRaces& warp,
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

[[gnu::flatten]]  // a number for each access of a warp between barriers
Epoch AccessHistory::new_epoch(const Context& context, const Step* step, size_t access,
                               bool shared) {
  const Block& block = *context.block;
  const uint32_t index = context.warp->index;
  BlockRaces& races = races_of(block);
  WarpRaces& warp = races.warps[index];
  uint64_t calls = 0;
  for (const Frame* at = context.frame; at->caller; at = at->caller) {
    calls = calls * 0x9e37'79b9'7f4a'7c15 + reinterpret_cast<uint64_t>(at->return_to);
  }
  WarpRaces::Cached& cached = warp.cached[access];
  if (cached.calls != calls) cached = {};
  cached.calls = calls;
  if (shared) {
    if (cached.shared_interval != warp.interval) {
      cached.shared =
          new_shared_epoch(races, index, place_of(context, step, access, calls));
      cached.shared_interval = warp.interval;
    }
    return cached.shared;
  }
  if (cached.global_interval != warp.interval) {
    cached.global =
        new_global_epoch(block, warp, index, place_of(context, step, access, calls));
    if (cached.global == 0) tell_limit(context, step);
    cached.global_interval = warp.interval;
  }
  return cached.global;
}

void AccessHistory::tell_limit(const Context& context, const Step* step) {
  if (std::exchange(told_limit_, true)) return;
  FindingRecord record =
      record_at(context, step, MtFinding_OutputLimit, first_lane(context.mask));
  record.detail =
      "races on global memory were searched for up to here only: too many "
      "stretches between synchronisations";
  context.findings->note(context, record);
}

const RacePlace& AccessHistory::place(const Block& block, Epoch epoch,
                                      bool shared) const {
  const uint32_t number = shared
                              ? races_of(block).shared_place[(epoch & ~kFar) >> 10]
                              : global_place_[((epoch & ~kFar) >> 5) - first_number_];
  return places_[number];
}

void AccessHistory::forget(uint64_t address, uint64_t size) {
  if (!global.covers(address, size)) return;
  const uint64_t first = global.cell_of(address);
  const uint64_t last = global.cell_of(address + size - 1);
  for (Epoch* const epochs :
       {global.write, global.read, global.second, global.write2}) {
    for (uint64_t cell = first; cell <= last; ++cell) {
      if (epochs[cell] != 0) epochs[cell] = 0;  // pages of zeros cost no memory
    }
  }
}

RaceThread AccessHistory::thread(const Block& block, Epoch epoch, bool shared) const {
  const Epoch near = epoch & ~kFar;
  if (shared) return {block.number, near >> 5 & 31, near & kLaneBits};
  const Run& run = runs_[((near >> 5) - first_number_) >> run_bits_];
  return {run.block, run.warp, near & kLaneBits};
}

}  // namespace minitorch::simt

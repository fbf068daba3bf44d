// Owns the turns of paths, warps and resident blocks on one host thread. Must not know
// instructions.
#include "emulator/scheduler.h"

#include <algorithm>
#include <deque>
#include <thread>

#include "emulator/stall.h"

namespace minitorch::emulator {
namespace {

/// Warp instructions a path may run before others get their turn: well under a
/// millisecond, so that a cancelled launch ends soon.
constexpr uint64_t kSlice = uint64_t{1} << 17;
constexpr size_t kResidents = 48;

}  // namespace

Scheduler::Scheduler(const LaunchState& launch, std::vector<AllocationHit>& hits)
    : launch_(launch), frames_(launch) {
  Memory* const memory = launch.launch->memory;
  context_.launch = &launch;
  context_.program = launch.program;
  context_.table = launch.table.get();
  context_.findings = &findings_;
  context_.frames = &frames_;
  context_.all_hits = hits.data();
  context_.shared_bytes = launch.shared_bytes;
  context_.memory = memory;
  context_.arena_base = memory->arena_base();
  context_.init_words = reinterpret_cast<uint64_t*>(memory->init_bits());
}

void Scheduler::run_warp(Block& block, Warp& warp) {
  const uint64_t budget = launch_.launch->budget;
  context_.warp = &warp;
  context_.local = warp.local.data();
  context_.executed = block.executed;
  context_.slice_end = block.executed + kSlice;
  if (budget != 0) context_.slice_end = std::min(context_.slice_end, budget);
  const Step* step = next_path(context_);
  while (step) step = step->run[context_.partial](context_, step);
  block.executed = context_.executed;
}

Scheduler::Turn Scheduler::take_turn(Block& block) {
  context_.block = &block;
  context_.shared = block.shared;
  context_.frame = nullptr;
  for (;;) {
    bool ran = false, yielded = false;
    for (Warp& warp : block.warps) {
      if (warp.ready_count == 0) continue;
      ran = true;
      run_warp(block, warp);
      if (context_.stop == Stop::Faulted) {
        launch_.note_fault(block.number);
        return Turn::Abandoned;
      }
      yielded |= context_.stop == Stop::Yielded;
    }
    if (launch_.is_pointless(block.number)) return Turn::Abandoned;
    if (yielded) return Turn::Suspended;
    if (ran) continue;
    if (block.exited == block.threads) return Turn::Finished;
    if (resolve_stall(context_, block)) continue;
    launch_.note_fault(block.number);
    return Turn::Abandoned;
  }
}

void Scheduler::retire(std::unique_ptr<Resident> resident) {
  ++blocks_;
  executed_ += resident->block().executed;
  spare_.push_back(std::move(resident));
}

void Scheduler::run(const std::function<bool(uint64_t& block)>& next) {
  std::deque<std::unique_ptr<Resident>> residents;
  bool more = true;
  for (;;) {
    if (launch_.cancelled()) {
      cancelled_ = true;
      return;
    }
    uint64_t number = 0;
    if (more && residents.size() < kResidents && (more = next(number))) {
      if (spare_.empty()) {
        spare_.push_back(std::make_unique<Resident>(launch_));
      }
      residents.push_front(std::move(spare_.back()));
      spare_.pop_back();
      residents.front()->start(number);
    }
    if (residents.empty()) {
      if (!more) return;
      continue;
    }
    std::unique_ptr<Resident> resident = std::move(residents.front());
    residents.pop_front();
    if (take_turn(resident->block()) == Turn::Suspended) {
      residents.push_back(std::move(resident));
      // The block may wait for one on another host thread.
      if (!more) std::this_thread::yield();
    } else {
      retire(std::move(resident));
    }
  }
}

}  // namespace minitorch::emulator

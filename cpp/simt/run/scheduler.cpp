#include "simt/run/scheduler.h"

#include <time.h>

#include <algorithm>
#include <thread>

#include "simt/warp/looks.h"
#include "simt/warp/polling.h"
#include "simt/warp/stall.h"

namespace minitorch::simt {
namespace {

/// Warp instructions a path may run before others get their turn: well under a
/// millisecond, so that a cancelled launch ends soon. Fewer where all only wait.
constexpr uint64_t kSlice = uint64_t{1} << 17, kWaitingSlice = kSlice / 8,
                   kProvingSlice = kSlice / 32;
constexpr size_t kResidents = 48;  // of a launch whose blocks need not wait
constexpr uint64_t kResidentBytes = uint64_t{1}
                                    << 30;  // all together, if more than one

/// Blocks are given up when every path has ended several time slices in a row in the
/// states of a circle, for so long that another stream or the host could have
/// interfered: turns of each block, and of each path that a warp has.
constexpr uint64_t kQuietTurns = 8, kTurnsOfPath = 2;
constexpr std::chrono::milliseconds kPatience{300};
/// Turns in a row of waiting paths alone after which their slices get short.
constexpr uint64_t kFewTurns = 4;

/// What paths were compared with is of another time.
void forget_states(Block& block) {
  for (Warp& warp : block.warps) warp.forget_states();
}

/// Quarters of a nanosecond that a step stands for where runs must repeat.
constexpr uint64_t kStepQuarters = 15;

}  // namespace

Scheduler::Scheduler(const LaunchState& launch, std::vector<AllocationHit>& hits,
                     LaunchClock& clock, size_t worker)
    : launch_(launch),
      frames_(launch),
      observers_(launch),
      replay_(launch, observers_),
      residents_(
          std::clamp<size_t>(kResidentBytes / Resident::bytes(launch), 1, kResidents)),
      clock_(clock),
      worker_(worker) {
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
  observers_.attach(context_);
}

Scheduler::~Scheduler() = default;

void Scheduler::run_warp(Block& block, Warp& warp) {
  const uint64_t budget = launch_.launch->budget;
  context_.warp = &warp;
  context_.local = warp.local.data();
  context_.executed = block.executed;
  context_.waits = context_.repeats = context_.polls = false;
  context_.looks_outside = false;
  context_.looks = nullptr;
  context_.stop = Stop::Idle;
  const uint64_t slice = time_stopped_                ? kProvingSlice
                         : waiting_turns_ > kFewTurns ? kWaitingSlice
                                                      : kSlice;
  context_.slice_end = block.executed + slice;
  const uint64_t before = block.executed;
  if (budget != 0) context_.slice_end = std::min(context_.slice_end, budget);
  const Step* step = next_path(context_);
  while (step) step = step->run[context_.partial](context_, step);
  if (context_.stop == Stop::Faulted) finish_other_paths(warp);
  block.executed = context_.executed;
  stepped_ += block.executed - before;
}

uint64_t Scheduler::time_used() {
  const uint64_t before = time_;
  if (launch_.launch->repeatable) {
    time_ = (stepped_ + context_.spun) * kStepQuarters / 4;
  } else {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    time_ = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
            static_cast<uint64_t>(now.tv_nsec);
  }
  return time_ - before;
}

bool Scheduler::must_end(Block& block) {
  if (stepped_ - looked_ < kSlice) return false;
  looked_ = stepped_;
  if (launch_.cancelled()) return true;
  const uint64_t workspace = launch_.launch->grid_workspace;
  const uint32_t barrier =
      workspace == 0 ? 0 : reinterpret_cast<const uint32_t*>(workspace)[1] >> 31;
  if (!clock_.use(worker_, time_used(), barrier)) return false;
  stop_late(context_, block);
  launch_.note_fault(block.number);
  return true;
}

void Scheduler::finish_other_paths(Warp& warp) {
  // A lower lane on another path may have a fault of its own, which counts more.
  context_.slice_end = context_.executed + kSlice / 32;
  for (uint32_t paths = warp.ready_count; paths > 0 && warp.ready_count > 0; --paths) {
    context_.stop = Stop::Idle;
    const Step* step = resume(context_, warp.pop_ready());
    while (step) step = step->run[context_.partial](context_, step);
  }
  context_.stop = Stop::Faulted;
}

Scheduler::Turn Scheduler::take_turn(Block& block) {
  context_.block = &block;
  context_.shared = block.shared;
  context_.frame = nullptr;
  for (Observer* const each : observers_.all()) each->enter_block(block);
  for (;;) {
    bool ran = false, yielded = false, quiet = true, waits = false;
    all_wait_ = true;
    BlockTurn turn = {true, true, false};
    for (Warp& warp : block.warps) {
      if (warp.ready_count == 0) continue;
      ran = true;
      most_paths_ = std::max(most_paths_, warp.ready_count);
      run_warp(block, warp);
      if (context_.stop == Stop::Faulted) {
        launch_.note_fault(block.number);
        return Turn::Abandoned;
      }
      const bool yields = context_.stop == Stop::Yielded;
      yielded |= yields;
      waits |= yields && context_.waits;
      all_wait_ &= yields && context_.waits;
      quiet &= yields && context_.repeats;
      turn.polls &= yields && context_.polls;
      turn.outside |= context_.looks_outside;
    }
    if (launch_.is_pointless(block.number)) return Turn::Abandoned;
    if (must_end(block)) return Turn::Abandoned;
    turn.polls &= ran;
    turn.repeats = quiet;
    const Outlook outlook = watch_polling(context_, block, turn);
    if (outlook == Outlook::Deadlock) {
      launch_.note_fault(block.number);
      return Turn::Abandoned;
    }
    if (outlook == Outlook::Waiting && !launch_.cancelled()) continue;
    if (yielded && quiet) return Turn::Quiet;
    if (yielded) return waits ? Turn::Suspended : Turn::Busy;
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
  for (Observer* const each : observers_.all()) {
    each->end_block(context_, resident->block());
  }
  if (replay_.wants_block()) replay_.learn(context_, resident);
  if (launch_.blocks > kMostBlocks) check_blocks();
  if (resident) spare_.push_back(std::move(resident));
}

void Scheduler::check_blocks() {
  if (replay_.is_on()) return;
  FindingRecord record;
  record.kind = MtFinding_LaunchConfig;
  record.stopped = true;
  record.detail = too_many_blocks(launch_.launch->grid);
  findings_.stop(std::move(record));
  launch_.note_fault(0);
}

void Scheduler::start_next(Residents& residents, uint64_t number) {
  if (spare_.empty()) {
    spare_.push_back(std::make_unique<Resident>(launch_, observers_));
  }
  residents.push_front(std::move(spare_.back()));
  spare_.pop_back();
  residents.front()->start(number);
  BlockTime& time = residents.front()->block().time;
  for (uint32_t i = 0; i < leaps_; ++i) time.skip(Standstill::kLeaps[i]);
  if (time_stopped_) time.stop(BlockTime::Waiting);
}

size_t Scheduler::most_residents() const {
  return launch_.launch->grid_workspace != 0 ? launch_.blocks : residents_;
}

uint64_t Scheduler::enough_turns(const Residents& residents) const {
  return (kQuietTurns + kTurnsOfPath * most_paths_) * (residents.size() + 1);
}

void Scheduler::stop_time(const Residents& residents) {
  const uint64_t enough = enough_turns(residents);
  if (waiting_turns_ == 0) stop_at_ = enough;
  const uint64_t long_enough =
      3 * kLongestPeriod * most_paths_ * (residents.size() + 1);
  const bool in_vain = quiet_turns_ == 0 && waiting_turns_ - stopped_at_ > long_enough;
  const bool stop =
      time_stopped_ ? waiting_turns_ != 0 && !in_vain : waiting_turns_ > stop_at_;
  if (stop == time_stopped_) return;
  time_stopped_ = stop;
  if (stop) stopped_at_ = waiting_turns_;
  // A program that only looks as if it waited for nothing is looked at ever less often.
  if (!stop) stop_at_ = 2 * waiting_turns_;
  for (const auto& resident : residents) {
    BlockTime& time = resident->block().time;
    if (stop) time.stop(BlockTime::Waiting);
    if (!stop) time.go_on(BlockTime::Waiting);
    forget_states(resident->block());
  }
}

void Scheduler::follow_leaps(const Residents& residents) {
  while (leaps_ != launch_.standstill.leaps()) {
    for (const auto& resident : residents) {
      resident->block().time.skip(Standstill::kLeaps[leaps_]);
      forget_states(resident->block());
    }
    ++leaps_;
    quiet_turns_ = 0;
    stuck_ = false;
  }
}

bool Scheduler::all_repeat(const Residents& residents, Turn turn, bool all_started) {
  const bool went_round = turn == Turn::Quiet || turn == Turn::Suspended;
  waiting_turns_ = went_round && all_wait_ ? waiting_turns_ + 1 : 0;
  quiet_turns_ = turn == Turn::Quiet ? quiet_turns_ + 1 : 0;
  if (waiting_turns_ == 0 && quiet_turns_ == 0) most_paths_ = 0;
  stop_time(residents);
  follow_leaps(residents);
  const auto any = [&](auto test) {
    return std::any_of(residents.begin(), residents.end(),
                       [&](const auto& resident) { return test(resident->block()); });
  };
  const bool stuck =
      all_started && quiet_turns_ > enough_turns(residents) &&
      (stuck_ || !any([&](Block& block) { return waits_for_host(launch_, block); }));
  if (stuck == stuck_) return stuck;
  const bool time = any([](Block& block) { return block.time.asked(); });
  if (launch_.standstill.set_stuck(stuck, leaps_, time)) {
    stuck_ = stuck;
    stuck_since_ = std::chrono::steady_clock::now();
  }
  return stuck_;
}

bool Scheduler::found_deadlock(Turn turn, Residents& residents, bool more) {
  const bool all_started = !more || residents.size() >= most_residents();
  if (!all_repeat(residents, turn, all_started)) return false;
  const auto now = std::chrono::steady_clock::now();
  if (!launch_.standstill.all_stuck(leaps_)) {
    stuck_since_ = now;
    return false;
  }
  if (leaps_ == 0 && now - stuck_since_ < kPatience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return false;
  }
  if (launch_.standstill.may_leap()) {
    launch_.standstill.leap(leaps_);
    return false;
  }
  const auto lowest = std::min_element(residents.begin(), residents.end(),
                                       [](const auto& a, const auto& b) {
                                         return a->block().number < b->block().number;
                                       });
  const uint64_t number = (*lowest)->block().number;
  context_.block = &(*lowest)->block();
  stop_repeating(context_, (*lowest)->block(), !more);
  launch_.note_fault(number);
  return true;
}

void Scheduler::run(const std::function<bool(uint64_t& block)>& next) {
  time_used();  // what the thread has used so far was for others
  Residents residents;
  bool more = true, busy = false;
  for (;;) {
    if (launch_.cancelled()) {
      cancelled_ = true;
      break;
    }
    uint64_t number = 0;
    const bool room = !busy && residents.size() < most_residents();
    if (more && room && (more = next(number))) {
      if (replay_.covers(number)) {
        executed_ += replay_.run(context_, number);
        ++blocks_;
        clock_.end_block(worker_);
        continue;
      }
      start_next(residents, number);
    }
    if (residents.empty()) {
      if (!more) break;
      continue;
    }
    std::unique_ptr<Resident> resident = std::move(residents.front());
    residents.pop_front();
    const Turn turn = take_turn(resident->block());
    busy = turn == Turn::Busy;
    if (turn == Turn::Finished || turn == Turn::Abandoned) {
      if (turn == Turn::Finished) clock_.end_block(worker_);
      retire(std::move(resident));
    } else if (turn == Turn::Busy) {
      // Others would end no sooner, and all of them later.
      residents.push_front(std::move(resident));
    } else {
      residents.push_back(std::move(resident));
      // The block may wait for one on another host thread.
      if (!more) std::this_thread::yield();
    }
    if (residents.empty()) continue;
    if (found_deadlock(turn, residents, more)) break;
  }
  replay_.end();
  follow_leaps(residents);
  launch_.standstill.end(stuck_, leaps_);
}

}  // namespace minitorch::simt

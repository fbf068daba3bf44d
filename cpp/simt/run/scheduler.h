// The turns of paths, warps and resident blocks on one host thread.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "simt/observing/list.h"
#include "simt/run/launch_clock.h"
#include "simt/run/replay.h"
#include "simt/run/resident.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

/// Runs blocks, in the order in which `next` gives their numbers, until there are none.
/// A block whose paths spin is set aside and later ones start, so that blocks which
/// wait for each other finish.
class Scheduler {
 public:
  /// `worker`: which of the launch's host threads this is, for `clock`.
  Scheduler(const LaunchState& launch, std::vector<AllocationHit>& hits,
            LaunchClock& clock, size_t worker);
  ~Scheduler();

  /// `next` gives the next block to run, or false when all have been given out.
  void run(const std::function<bool(uint64_t& block)>& next);

  const Findings& findings() const { return findings_; }
  uint64_t blocks() const { return blocks_; }
  uint64_t warp_instructions() const { return executed_; }
  bool cancelled() const { return cancelled_; }
  Observers& observers() { return observers_; }

 private:
  /// Suspended: time slices ended, and the block may wait for others. Quiet: and every
  /// path that ran ended in the state of its turn before. Busy: it waits for nobody.
  enum class Turn : uint8_t { Finished, Suspended, Quiet, Busy, Abandoned };
  using Residents = std::deque<std::unique_ptr<Resident>>;
  Turn take_turn(Block& block);
  void run_warp(Block& block, Warp& warp);
  /// After a fault: the warp's other paths run to where they wait, end or fail.
  void finish_other_paths(Warp& warp);
  /// Every now and then: true when the launch has been cancelled, or when it does not
  /// get on; then `block` has got its fault.
  bool must_end(Block& block);
  /// What this host thread has used since it was last asked, in nanoseconds.
  uint64_t time_used();
  void retire(std::unique_ptr<Resident> resident);
  /// What the first block was may tell that the others take for ever.
  void check_blocks();
  void start_next(Residents& residents, uint64_t number);
  /// How many blocks may be under way at once; all of a cooperative launch.
  size_t most_residents() const;
  /// After a turn: true when no block of this launch will ever get on; the lowest here
  /// has then got its fault. `more`: blocks are still to start.
  bool found_deadlock(Turn turn, Residents& residents, bool more);
  /// Turns of residents in which each of them, and each of its paths, has had several.
  uint64_t enough_turns(const Residents& residents) const;
  /// Stops time now and then while all paths wait, to see whether anything else
  /// changes.
  void stop_time(const Residents& residents);
  /// Time has gone on for blocks that all repeat themselves.
  void follow_leaps(const Residents& residents);
  /// Whether all blocks here repeat themselves, for ever unless time ends that.
  bool all_repeat(const Residents& residents, Turn turn, bool all_started);

  const LaunchState& launch_;
  Context context_;
  Findings findings_;
  FramePool frames_;
  Observers observers_;
  std::vector<std::unique_ptr<Resident>> spare_;
  Replay replay_;
  const size_t residents_;  // at most, where blocks need not wait for each other
  LaunchClock& clock_;
  const size_t worker_;
  uint64_t stepped_ = 0, looked_ = 0;  // steps of all blocks; at the last look
  uint64_t time_ = 0;                  // of this host thread at the last look
  uint64_t blocks_ = 0, executed_ = 0;
  uint64_t quiet_turns_ = 0;               // in a row, of all residents
  uint32_t most_paths_ = 0;                // of a warp, in these and waiting turns
  bool all_wait_ = false;                  // in the last turn each path waited
  uint64_t waiting_turns_ = 0;             // such turns in a row
  uint64_t stop_at_ = 0, stopped_at_ = 0;  // of them: when time is stopped, and was
  bool time_stopped_ = false;
  uint32_t leaps_ = 0;  // of time that this thread's blocks have seen
  bool stuck_ = false;  // counted in LaunchState::standstill
  std::chrono::steady_clock::time_point stuck_since_;
  bool cancelled_ = false;
};

}  // namespace minitorch::simt

// Owns the turns of paths, warps and resident blocks on one host thread. Must not know
// instructions.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "emulator/findings.h"
#include "emulator/launch_state.h"
#include "emulator/observers/footprint_writer.h"
#include "emulator/observers/trace_writer.h"
#include "emulator/replay.h"
#include "emulator/resident.h"

namespace minitorch::emulator {

/// Runs blocks, in the order in which `next` gives their numbers, until there are none.
/// A block whose paths spin is set aside and later ones start, so that blocks which
/// wait for each other finish.
class Scheduler {
 public:
  Scheduler(const LaunchState& launch, std::vector<AllocationHit>& hits);
  ~Scheduler();

  /// `next` gives the next block to run, or false when all have been given out.
  void run(const std::function<bool(uint64_t& block)>& next);

  const Findings& findings() const { return findings_; }
  uint64_t blocks() const { return blocks_; }
  uint64_t warp_instructions() const { return executed_; }
  bool cancelled() const { return cancelled_; }
  const std::vector<uint64_t>& counts() const { return counts_; }
  /// The trace, once; null unless the launch is traced.
  std::unique_ptr<TraceColumns> take_trace();
  /// What the launch touched, once; null unless asked for.
  std::unique_ptr<Footprint> take_footprint();

 private:
  /// Quiet: suspended, and every path that ran ended in the state of its turn before.
  enum class Turn : uint8_t { Finished, Suspended, Quiet, Abandoned };
  using Residents = std::deque<std::unique_ptr<Resident>>;
  Turn take_turn(Block& block);
  void run_warp(Block& block, Warp& warp);
  /// After a fault: the warp's other paths run to where they wait, end or fail.
  void finish_other_paths(Warp& warp);
  void retire(std::unique_ptr<Resident> resident);
  void start_next(Residents& residents, uint64_t number);
  /// How many blocks may be under way at once; all of a cooperative launch.
  size_t most_residents() const;
  /// After a turn: true when no block of this launch will ever get on; the lowest here
  /// has then got its fault. `more`: blocks are still to start.
  bool found_deadlock(Turn turn, Residents& residents, bool more);

  const LaunchState& launch_;
  Context context_;
  Findings findings_;
  FramePool frames_;
  std::unique_ptr<RaceDetector> races_;
  std::vector<std::unique_ptr<Resident>> spare_;
  std::vector<uint64_t> counts_;
  std::unique_ptr<TraceWriter> trace_;
  Replay replay_;
  std::unique_ptr<FootprintWriter> footprint_;
  uint64_t blocks_ = 0, executed_ = 0;
  uint64_t quiet_turns_ = 0;  // in a row, of all residents
  bool stuck_ = false;        // counted in LaunchState::stuck
  std::chrono::steady_clock::time_point stuck_since_;
  bool cancelled_ = false;
};

}  // namespace minitorch::emulator

// Owns the turns of paths, warps and resident blocks on one host thread. Must not know
// instructions.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "emulator/findings.h"
#include "emulator/launch_state.h"
#include "emulator/resident.h"

namespace minitorch::emulator {

/// Runs blocks, in the order in which `next` gives their numbers, until there are none.
/// A block whose paths spin is set aside and later ones start, so that blocks which
/// wait for each other finish.
class Scheduler {
 public:
  Scheduler(const LaunchState& launch, std::vector<AllocationHit>& hits);

  /// `next` gives the next block to run, or false when all have been given out.
  void run(const std::function<bool(uint64_t& block)>& next);

  const Findings& findings() const { return findings_; }
  uint64_t blocks() const { return blocks_; }
  uint64_t warp_instructions() const { return executed_; }
  bool cancelled() const { return cancelled_; }

 private:
  enum class Turn : uint8_t { Finished, Suspended, Abandoned };
  Turn take_turn(Block& block);
  void run_warp(Block& block, Warp& warp);
  void retire(std::unique_ptr<Resident> resident);

  const LaunchState& launch_;
  Context context_;
  Findings findings_;
  FramePool frames_;
  std::vector<std::unique_ptr<Resident>> spare_;
  uint64_t blocks_ = 0, executed_ = 0;
  bool cancelled_ = false;
};

}  // namespace minitorch::emulator

// The memory of one resident block (register files, shared memory) and its start; used
// for one block after the other.
#pragma once

#include <memory>

#include "simt/observing/list.h"
#include "simt/warp/frames.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

class Resident {
 public:
  Resident(const LaunchState& launch, const Observers& observers);
  ~Resident();

  /// Makes block `number` ready to run from its first instruction.
  void start(uint64_t number);
  /// Makes it the block's coordinates only.
  void place(uint64_t number);
  Block& block() { return block_; }

  /// What one block of the launch takes of the host's memory, calls not included.
  static uint64_t bytes(const LaunchState& launch);

 private:
  void start_warp(Warp& warp);

  const LaunchState& launch_;
  const Observers& observers_;
  AlignedBytes storage_;
  Block block_;
};

}  // namespace minitorch::simt

// The counts of one launch on one host thread, and their way to counters of lines.
#pragma once

#include <vector>

#include "simt/warp/context.h"

namespace minitorch::simt {

class Counters final : public Observer {
 public:
  static constexpr ObserverId kId = ObserverId::Counters;

  explicit Counters(const LaunchState& launch);

  /// For its probes: the counts from a slot of a CountPlan on.
  [[gnu::always_inline]] static uint64_t* of(const Context& context, uint32_t slot) {
    return static_cast<uint64_t*>(context.probed[static_cast<size_t>(kId)]) + slot;
  }
  void* probed() override { return counts_.data(); }

  ReplayPolicy learn(const Replay& replay) override;
  void end_replays(uint64_t blocks) override;
  void add(const Observer& other) override;
  void give(Outcome& outcome) override;

 private:
  const LaunchState& launch_;
  std::vector<uint64_t> counts_;
  std::vector<uint64_t> block_counts_;  // of the first block, if others follow from it
};

}  // namespace minitorch::simt

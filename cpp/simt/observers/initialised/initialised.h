// The search for loads of global bytes that nobody has written, and which allocations a
// launch may store to at all.
#pragma once

#include <vector>

#include "simt/warp/context.h"

namespace minitorch::simt {

class Initialised final : public Observer {
 public:
  static constexpr ObserverId kId = ObserverId::Initialised;

  explicit Initialised(const LaunchState& launch) : launch_(launch) {}

  /// No access of this launch stores to bytes [low, high) of global memory.
  bool is_only_read(uint64_t low, uint64_t high);
  ReplayPolicy learn(const Replay& replay) override;

 private:
  void find_stored();

  struct Range {
    uint64_t low, high;
  };
  const LaunchState& launch_;
  bool searched_ = false;
  std::vector<Range> stored_;     // all that may be stored to
  bool stores_anywhere_ = false;  // that is not known
};

/// Lists the loads of the executing lanes that get bytes which nobody has written.
void report_uninitialised(Context& context, const Step* step);

}  // namespace minitorch::simt

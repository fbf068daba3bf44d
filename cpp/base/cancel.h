// The flag by which a running launch or loop is asked to stop early.
#pragma once

#include <atomic>

namespace minitorch::base {

/// Set by any thread, polled by the work; never blocks.
class CancelFlag {
 public:
  void request() { requested_.store(true, std::memory_order_relaxed); }
  void clear() { requested_.store(false, std::memory_order_relaxed); }
  bool requested() const { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace minitorch::base

// How long a launch has run without getting on, in processor time or in steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace minitorch::simt {

/// Counts what all host threads of a launch have used since one of its blocks ended or
/// its grid's barrier completed. A machine that is suspended or busy with other work
/// uses up nothing: only the launch's own processor time counts, or its own steps.
class LaunchClock {
 public:
  LaunchClock(size_t workers, uint64_t limit)
      : ended_(std::make_unique<Ended[]>(workers)), workers_(workers), limit_(limit) {}

  /// A block of this host thread has ended.
  void end_block(size_t worker) {
    std::atomic<uint64_t>& count = ended_[worker].count;
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Host thread `worker` has used `amount` more since it last said so; `grid_barrier`,
  /// 0 or 1, changes whenever that barrier completes. True when the launch is over its
  /// limit.
  bool use(size_t worker, uint64_t amount, uint32_t grid_barrier) {
    if (limit_ == 0) return false;
    const std::lock_guard lock(mutex_);
    Ended& own = ended_[worker];
    uint64_t ended = 0;
    for (size_t i = 0; i < workers_; ++i) {
      ended += ended_[i].count.load(std::memory_order_relaxed);
    }
    ended = 2 * ended + grid_barrier;
    const uint64_t own_count = own.count.load(std::memory_order_relaxed);
    const bool got_on = ended != known_;
    // Part of the amount was for blocks that have ended: it cannot be told which.
    const bool mixed = own_count != own.known;
    known_ = ended;
    own.known = own_count;
    if (got_on) used_ = 0;
    if (!got_on && !mixed) used_ += amount;
    return used_ > limit_;
  }

 private:
  struct alignas(64) Ended {
    std::atomic<uint64_t> count{0};
    uint64_t known = 0;
  };
  const std::unique_ptr<Ended[]> ended_;
  const size_t workers_;
  const uint64_t limit_;
  std::mutex mutex_;
  uint64_t known_ = 0, used_ = 0;
};

}  // namespace minitorch::simt

// Time as the threads of a block read it. While all of them wait it can be moved on, so
// that what waits for a time goes on, and stopped, so that a loop that computes with
// time is seen to repeat its state.
#pragma once

#include <array>
#include <cstdint>

namespace minitorch::simt {

class BlockTime {
 public:
  /// Who has stopped it: the block's wait for mbarriers (polling.cpp), or the
  /// scheduler.
  enum Stopper : uint8_t { Polling = 1, Waiting = 2 };

  void stop(Stopper who) {
    if (stopped_ == 0) kept_ = {};
    stopped_ |= who;
  }
  void go_on(Stopper who) { stopped_ &= static_cast<uint8_t>(~who); }
  void skip(uint64_t nanoseconds) {
    skipped_ += nanoseconds;
    kept_ = {};
  }
  /// What a clock (`timer`: the global one) that is at `value` says.
  uint64_t read(uint64_t value, bool timer) {
    asked_ = true;
    const uint64_t now = value + skipped_;
    if (stopped_ == 0) return now;
    uint64_t& kept = kept_[timer ? 1 : 0];
    if (kept == 0) kept = now;
    return kept;
  }
  /// Whether anybody has read a clock.
  bool asked() const { return asked_; }

 private:
  uint64_t skipped_ = 0;  // ns so far
  std::array<uint64_t, 2> kept_ = {0,
                                   0};  // clock and timer since the stop; 0: not read
  uint8_t stopped_ = 0;
  bool asked_ = false;
};

}  // namespace minitorch::simt

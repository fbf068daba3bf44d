// A short wait that stays on its processor.
#pragma once

#include <chrono>
#include <thread>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace minitorch::base {

/// Tells the processor that a loop only waits.
inline void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks at `done()` again and again, for 100 µs at most; returns what it said last. To
/// sleep and be woken takes tens of microseconds, which is what a loop over 1e6
/// elements takes itself. Threads that have work to do are let through, and a machine
/// that has many of those ends the wait.
template <class Done>
bool spin_until(Done&& done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kLongest{100}, kBusy{20};
  constexpr int kPauses = 32;  // between two looks at the clock
  const auto start = Clock::now();
  for (auto now = start; now - start < kLongest;) {
    for (int i = 0; i < kPauses; ++i) {
      if (done()) return true;
      pause_briefly();
    }
    std::this_thread::yield();
    const auto before = std::exchange(now, Clock::now());
    if (now - before > kBusy) break;
  }
  return done();
}

}  // namespace minitorch::base

// What a block knows of its mbarriers: the word that each keeps in shared memory, the
// copies that a phase waits for, and who asks for a phase that is not over. Plain data;
// the rules are in mbarrier.cpp and polling.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/program.h"
#include "simt/lanes/step.h"

namespace minitorch::simt {

/// What mbarrier.init takes at most, and what one arrival may count.
inline constexpr uint32_t kMostArrivals = (1u << 20) - 1;

/// The 8 bytes of an mbarrier, and the state that an arrival gives: arrivals that each
/// later phase needs, those that the present one still needs, the number of the phase.
/// The highest bit tells it from memory that only holds zeros.
struct MbarrierWord {
  static constexpr uint32_t kPhases = 1u << 23;
  uint32_t expected = 0, pending = 0, phase = 0;

  uint64_t bits() const {
    return uint64_t{1} << 63 | uint64_t{phase} << 40 | uint64_t{pending} << 20 |
           expected;
  }
  static MbarrierWord of(uint64_t bits) {
    return {static_cast<uint32_t>(bits) & kMostArrivals,
            static_cast<uint32_t>(bits >> 20) & kMostArrivals,
            static_cast<uint32_t>(bits >> 40) & (kPhases - 1)};
  }
  static bool marked(uint64_t bits) { return bits >> 63 != 0; }
  uint32_t next_phase() const { return (phase + 1) & (kPhases - 1); }
};

/// Lanes of a warp's cp.async, by the number of the copy, that a phase waits for.
struct AwaitedCopy {
  uint32_t warp = 0, number = 0, lanes = 0;
};

struct Mbarrier {
  MbarrierWord word;
  bool valid = false;   // initialised, and not invalidated since
  uint32_t needed = 0;  // arrivals of the present phase, those that have come included
  std::vector<AwaitedCopy> copies;
};

/// A thread has asked in vain.
struct MbarrierPoll {
  uint32_t at = 0;  // offset of the mbarrier in shared memory
  const Step* step = nullptr;
  uint32_t function = ptx::kNone;
};

/// Turns of a block in which all threads only ask in vain (polling.cpp).
struct Polling {
  uint32_t turns = 0;     // in a row in which nothing else was done
  uint32_t repeated = 0;  // of them, in a row, in which every path repeated its state
  bool outside = false;   // in these, what other blocks may change was looked at
};

struct Mbarriers {
  std::map<uint32_t, Mbarrier> all;  // by offset in shared memory
  std::vector<MbarrierPoll> polls;   // by thread
  uint64_t changes = 0, seen = 0;    // of any; up to the turn before
  Polling polling;
};

}  // namespace minitorch::simt

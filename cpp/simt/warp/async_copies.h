// The copies that a warp's threads have started with cp.async and not waited for: read
// already, not yet written to shared memory, so that a forgotten wait shows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/lanes/step.h"

namespace minitorch::simt {

/// One cp.async of some lanes.
struct AsyncCopy {
  uint32_t mask = 0;    // lanes for which it has not arrived
  uint32_t size = 0;    // 4, 8 or 16 bytes
  uint32_t number = 0;  // among those of its warp
  std::array<uint64_t, kLanes> address;
  std::array<uint32_t, kLanes> group;  // number of its commit, from 1; 0 before that
  std::array<std::array<uint32_t, kLanes>, 4> words;

  /// For the search for races: what is read, where that is known, as [low, high) in
  /// all; epochs of lane 0's write when it started and of its arrival for others, with
  /// the numbering they are of; the instruction.
  std::array<uint64_t, kLanes> source;
  std::array<uint32_t, kLanes> source_bytes;
  uint64_t low = ~uint64_t{0}, high = 0;
  uint32_t warp = 0, started = 0, landing = 0, numbering = 0, place = 0;
};

struct AsyncCopies {
  std::vector<AsyncCopy> pending;            // oldest first
  std::array<uint32_t, kLanes> groups = {};  // committed by each lane
  uint32_t waiting = 0;  // the mask of a wait while its copies are stored
  uint32_t next_number = 0;

  void clear() {
    pending.clear();
    groups.fill(0);
  }
};

}  // namespace minitorch::simt

// Which number of a launch's counts belongs to which instruction: made while a function
// is lowered, read when its counts are summed.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda_abi/inspect.h"

namespace minitorch::simt {

/// Slots are indices into the counts of all functions; each thing counted has as many
/// as its comment names.
struct CountPlan {
  /// Instructions [begin, end) that the same lanes execute one after the other: times,
  /// lanes.
  struct Run {
    uint32_t begin, end, slot;
  };
  /// An instruction with a guard: times with a lane, lanes.
  struct Guard {
    uint32_t instruction, slot;
  };
  /// A branch whose lanes may go different ways: times they did.
  struct Branch {
    uint32_t instruction, slot;
  };
  /// A memory access: requests, lanes, sectors or wavefronts, and the wavefronts
  /// there would be without bank conflicts. Accesses that touch memory in the same way
  /// share their slots.
  struct Access {
    uint32_t instruction, slot;
    MtSpace space;
    MtAccess kind;
    uint32_t size;
    bool request;  // false: the instruction has made its request by another access
  };
  std::vector<Run> runs;
  std::vector<Guard> guards;
  std::vector<Branch> branches;
  std::vector<Access> accesses;
  uint32_t slots = 0;  // those of the functions before, and those taken

  uint32_t take(uint32_t count) {
    slots += count;
    return slots - count;
  }
};

}  // namespace minitorch::simt

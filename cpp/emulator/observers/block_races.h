// Owns what race detection keeps of one resident block: shadow of its shared memory,
// the stretches its warps are in, and what its barriers have ordered. Plain data; the
// rules are in happens_before.cpp and race_check.cpp.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "emulator/context.h"
#include "emulator/observers/phase_orders.h"
#include "emulator/observers/race_stamps.h"
#include "emulator/observers/thread_orders.h"

namespace minitorch::emulator {

struct WarpRaces {
  /// The stamps of lane 0 for an access, valid for one stretch and one chain of calls.
  struct Cached {
    uint32_t shared_stretch = 0, global_stretch = 0;
    Stamp shared = 0, global = 0;
    uint64_t calls = 0;
  };
  uint32_t stretch = 1;  // counts the synchronisations of any of its lanes
  std::vector<Cached> cached;
  uint32_t next_number = 0, end_number = 0;  // of global accesses, reserved
  Bound synced;                              // by __syncwarp() of all lanes
  /// Of __syncwarp(mask): what lane [to * 32 + from] knows. Made when needed.
  std::unique_ptr<std::array<Bound, kLanes * kLanes>> lanes;
};

/// Pairs of lines that race, of one block, stretch by stretch; behind them the block's
/// search for races ends. Nobody reads so many, and each costs time.
inline constexpr uint32_t kMostReports = 256;

/// Loads of shared cells that nobody had written; a race on the cell is said instead.
struct UnwrittenRead {
  uint64_t address;
  uint32_t thread, place;
};

struct BlockRaces {
  RaceShadow shared;
  std::vector<Stamp> shared_stamps;    // the four arrays
  std::vector<uint32_t> shared_place;  // by number: which access
  uint32_t numbering = 0;              // how often the numbers have begun again
  std::vector<WarpRaces> warps;
  bool trusted = true;  // all threads were at the same instruction for each barrier
  bool filled = false;  // all of shared memory has been written
  uint32_t scans = 0;   // searches for that
  Bound full;           // by the last barrier of the whole block
  /// Of barriers of some warps: what warp [to * kMaxWarps + from] knows; the same of
  /// each barrier. Made when needed.
  std::vector<Bound> known, arrived;
  std::unique_ptr<ThreadOrders> orders;  // fences and flags; made when needed
  std::unique_ptr<PhaseOrders> phases;   // mbarriers; made when needed
  bool copying = false;  // a cp.async has been started that may be in flight
  /// Of this stretch between barriers of the block: addresses of accesses and of cells.
  std::vector<UnwrittenRead> unwritten;
  std::vector<uint64_t> raced;
  /// What was reported in this stretch between barriers of the block.
  std::set<std::tuple<int32_t, uint32_t, uint32_t, uint64_t>> reported;
  uint32_t reports = 0;  // of the block so far
  bool gave_up = false;  // there were more than kMostReports
};

}  // namespace minitorch::emulator

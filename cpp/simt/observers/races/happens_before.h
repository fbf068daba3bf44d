// Which accesses are before which, in one launch: by program order, barriers of the
// block or of some of its warps, __syncwarp(), fences and flags, and mbarriers. What is
// known so far is kept with each block (BlockRaces).
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "simt/observers/races/access_history.h"

namespace minitorch::simt {

class HappensBefore {
 public:
  explicit HappensBefore(const AccessHistory& history) : history_(history) {}
  ~HappensBefore();
  HappensBefore(const HappensBefore&) = delete;
  HappensBefore& operator=(const HappensBefore&) = delete;

  /// All that the block before did in this shared memory is over.
  void start_block(const Block& block) const;
  /// Whether the access in `epoch` is before all that this thread does now.
  bool is_before(const Block& block, Epoch epoch, bool shared, uint32_t warp,
                 uint32_t lane) const;

  /// A warp comes to a barrier of some warps; those of `warps` leave it.
  void arrive_at_part_barrier(const Block& block, uint32_t barrier, uint32_t warp);
  void leave_part_barrier(const Block& block, uint32_t barrier, uint32_t warps);
  /// All threads of the block have met.
  void leave_barrier(const Block& block);
  void sync_lanes(const Context& context);

  // Fences, and the flags that tell of them.
  void fence(const Context& context, bool block_only);
  /// A strong access: observes what was published at its location, and publishes.
  void synchronise(const RaceSeen& seen);

  // mbarriers. `at`: offset in shared memory.
  void begin_phase(const Block& block, uint32_t at, Epoch begun);
  /// The write that initialised it; 0: there was none, or long before.
  static Epoch begun(const Block& block, uint32_t at);
  void arrive_at_phase(const Context& context, uint32_t at, uint32_t lane,
                       bool relaxed);
  static void complete_phase(const Block& block, uint32_t at);
  static void leave_phase(const Context& context, uint32_t at, uint32_t lane,
                          bool relaxed);

 private:
  bool is_before_in_block(const Block& block, Epoch epoch, bool shared,
                          const RaceThread& by, uint32_t warp, uint32_t lane) const;
  bool is_known(const Block& block, Epoch epoch, bool shared, const RaceThread& by,
                uint32_t thread) const;

  static ThreadOrder& order_of(const Block& block, uint32_t thread);
  Published knowledge(const Block& block, uint32_t thread);
  void publish(const RaceSeen& seen, ThreadOrder& order, uint32_t thread, Log& log);
  void share_in_block(const Block& block);
  void share_fences(const Block& block);
  static void share_in_warp(const Block& block, uint32_t warp, uint32_t mask);
  /// A warp arrives at a barrier of some warps, or leaves it.
  static void share_at_barrier(const Block& block, uint32_t barrier, uint32_t warp,
                               bool leaves);
  std::shared_ptr<Log> new_log();

  static PhaseOrders& phases_of(const Block& block);
  static void share_phases(const Block& block, uint32_t warp, uint32_t mask);
  static void share_phases_at(const Block& block, uint32_t barrier, uint32_t warp,
                              bool leaves);

  const AccessHistory& history_;
  std::unordered_map<uint64_t, std::shared_ptr<Log>> logs_;  // of global memory
  std::vector<std::weak_ptr<Log>> all_logs_;                 // they may hold each other
};

}  // namespace minitorch::simt

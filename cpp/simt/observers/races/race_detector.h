// The search for races in one launch. Runs on one host thread.
#pragma once

#include <array>
#include <vector>

#include "simt/observers/races/access_history.h"
#include "simt/observers/races/happens_before.h"

namespace minitorch::simt {

class RaceDetector final : public ThreadObserver {
 public:
  static constexpr ObserverId kId = ObserverId::Races;

  explicit RaceDetector(const LaunchState& launch);

  std::unique_ptr<ObservedBlock> make_block() const override;
  void start_block(Block& block) override;
  void enter_block(const Block& block) override;
  void end_block(Context& context, Block& block) override;
  void allocate(uint64_t address, uint64_t size) override;
  ReplayPolicy learn(const Replay& replay) override;

  void look(Context& context, const RaceTouch& touch);

  void barriers_differ(Block& block) override;
  void arrive_at_barrier(Block& block, uint32_t barrier, uint32_t warp) override;
  void leave_barrier(Context& context, Block& block, uint32_t barrier, uint32_t warps,
                     bool whole) override;
  void sync_lanes(Context& context) override;
  void fence(Context& context, bool block_only) override;

  void use_mbarriers(Context& context, const Step* step,
                     const std::array<uint32_t, kLanes>& at, uint32_t lanes) override;
  void begin_mbarrier(const Context& context, const Step* step, uint32_t at,
                      uint32_t lane) override;
  void arrive_at_phase(const Context& context, uint32_t at, uint32_t lane,
                       bool relaxed) override;
  void complete_phase(const Block& block, uint32_t at) override;
  void leave_phase(const Context& context, uint32_t at, uint32_t lane,
                   bool relaxed) override;
  void end_arrivals(const Context& context) override;

  void begin_copy(Context& context, const Step* step, AsyncCopy& copy) override;
  void hand_over_copies(Context& context) override;
  void land_copy(Block& block, const AsyncCopy& copy, uint32_t lanes) override;
  void check_sources(Context& context, const Step* step) override;

  const AccessHistory& history() const { return history_; }
  AccessHistory& history() { return history_; }
  const HappensBefore& order() const { return order_; }

 private:
  void find_shared_variables();

  // Cell by cell.
  void check_read(const RaceSeen& seen, uint64_t cell);
  void check_write(const RaceSeen& seen, uint64_t cell);
  void keep_read(const RaceSeen& seen, uint64_t cell);

  // cp.async.
  /// Reports an access to a cell that a copy in flight will write.
  void meet_copy(const RaceSeen& seen, uint64_t cell);
  /// Whether the store to `at` is reported: it changes what `copy` still reads.
  bool meet_source(Context& context, const Step* step, const AsyncCopy& copy,
                   uint32_t lane, uint64_t at) const;

  // Shared memory that nobody has written.
  static void look_for_unwritten(BlockRaces& races);
  void note_unwritten(const RaceSeen& seen);
  void report_unwritten(Context& context, Block& block) const;

  // Words (race_report.cpp).
  void report(const RaceSeen& seen, uint64_t cell, Epoch other, bool benign,
              bool in_flight = false);
  uint64_t variable_at(const Context& context, uint64_t address, bool shared) const;
  /// The block has had as many races as anyone reads: a note, once.
  void tell_many(const Context& context, const Step* step);

  const LaunchState& launch_;
  AccessHistory history_;
  HappensBefore order_;
  std::vector<uint64_t> shared_starts_;  // of shared variables
};

[[gnu::always_inline]] inline RaceDetector& detector_of(const Context& context) {
  return observer_of<RaceDetector>(context);
}

}  // namespace minitorch::simt

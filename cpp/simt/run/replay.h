// The quick road of straight kernels on one host thread: once a block has run the
// ordinary way, blocks whose guards and addresses follow from its own only load,
// compute and store.
#pragma once

#include <memory>
#include <vector>

#include "simt/program/replay_plan.h"
#include "simt/run/resident.h"

namespace minitorch::simt {

class Replay {
 public:
  Replay(const LaunchState& launch, const Observers& observers);

  /// Whether the first block is to be given to `learn`.
  bool wants_block() const { return plan_ != nullptr && !resident_; }
  /// `resident` has run the first block of `context`'s scheduler to its end. Takes it
  /// if other blocks can follow it, as far as its observers let them.
  void learn(const Context& context, std::unique_ptr<Resident>& resident);

  /// Whether blocks are replayed, or may be once one has been learnt.
  bool is_on() const { return plan_ != nullptr; }

  /// Whether the block does what the first did, at other addresses.
  bool covers(uint64_t number);
  /// Runs it; returns its warp instructions.
  uint64_t run(Context& context, uint64_t number);
  /// All blocks have run.
  void end() const;

  // What observers may ask, once the first block is known to be straight.
  /// No two threads of the launch touch the same byte, unless both only read it.
  bool has_no_races() const;
  /// The threads of a block together use all bytes of an access from its first to its
  /// last.
  bool has_no_gaps() const;
  /// From block to block all addresses move by multiples of so many bytes.
  bool moves_by(int64_t bytes) const;
  /// All loads are from allocations that have been written as a whole.
  bool loads_only_written() const;
  /// Calls visit(access, address, size) for what each access of the present block
  /// touches.
  template <class Visit>
  void each_touched(Visit visit) const {
    for (const Touched& touched : touched_) {
      const auto low = static_cast<uint64_t>(touched.bytes.low);
      const auto size = static_cast<uint64_t>(touched.bytes.high - touched.bytes.low);
      visit(*touched.access, low + distance(touched.coefficients), size);
    }
  }

 private:
  using Wide = __int128;
  struct Interval {
    Wide low, high;
  };
  using Coefficients = std::array<int64_t, 3>;  // of the distances in x, y, z
  using Slopes = std::array<Wide, 3>;
  /// A block is covered where slopes * distances <= margin for all limits.
  struct Limit {
    Slopes slopes;
    Wide margin;
  };
  /// An address register: what a warp's pattern was in the first block.
  struct Moving {
    uint32_t pattern;
    Coefficients coefficients;
    uint64_t distance = 0;  // of the present block
  };
  /// What an access touches in the first block, over all its threads.
  struct Touched {
    const ReplayPlan::Access* access;
    Coefficients coefficients;
    Interval bytes;
    bool written;  // all that it may load from
  };

  void find_coefficients();
  int64_t factor(const RowNumber& number) const;
  Coefficients of(uint32_t linear) const;
  Interval values(const RowNumber& number) const;
  void choose_steps(const Context& context);
  /// Whether every observer lets blocks follow; keeps those that are told of each.
  bool ask();
  /// Whether each warp's lanes touch one run of bytes, lane after lane.
  bool is_contiguous(uint32_t pattern, uint32_t size) const;
  void limit_numbers();
  void limit_guards();
  bool limit_accesses(const Context& context);
  bool has_no_gaps(const Touched& touched) const;
  static Slopes minus(const Coefficients& a, const Coefficients& b);
  bool is_straight_everywhere() const;
  bool is_tiled(const Touched& store) const;
  bool are_alike(const Touched& a, const Touched& b) const;
  Interval in_grid(const Touched& touched) const;
  Interval distances(const Slopes& slopes) const;
  void find_span(uint32_t y, uint32_t z);
  /// Sets the patterns of the warp whose first are at `base`.
  void move(Frame& frame, const std::array<uint64_t, 2>* base) const;
  /// Of the present block's bytes from those of the first.
  uint64_t distance(const Coefficients& by) const;

  const LaunchState& launch_;
  const Observers& observers_;
  const ReplayPlan* plan_ = nullptr;  // null: blocks are not replayed
  std::unique_ptr<Resident> resident_;
  std::vector<Coefficients> coefficients_;  // by linear
  std::vector<Limit> limits_;
  size_t number_limits_ = 0;  // those that keep linears linear come first
  std::vector<Touched> touched_;
  std::vector<Step> steps_;
  std::vector<Moving> moving_;
  std::vector<std::array<uint64_t, 2>> bases_;  // by warp, of each moving register
  std::vector<Observer*> told_;                 // of each replayed block
  uint64_t executed_ = 0;                       // by one block
  uint64_t blocks_ = 0;
  int64_t x_ = 0, y_ = 0, z_ = 0;  // of the first block
  uint32_t span_y_ = 0, span_z_ = 0;
  int64_t span_low_ = 1, span_high_ = 0;  // x of covered blocks at that y and z
};

}  // namespace minitorch::simt

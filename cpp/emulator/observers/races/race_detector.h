// Owns race detection in one launch: who accessed what, what orders accesses, and what
// is reported; of each resident block the shadow of its shared memory and the intervals
// between barriers that its warps are in. Runs on one host thread. Must not know how
// instructions execute.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/findings.h"
#include "emulator/observers/races/epoch.h"
#include "emulator/observers/races/global_shadow.h"
#include "emulator/observers/races/phase_orders.h"
#include "emulator/observers/races/thread_orders.h"

namespace minitorch::emulator {

struct WarpRaces {
  /// The epochs of lane 0 for an access, valid for one interval and one chain of calls.
  struct Cached {
    uint32_t shared_interval = 0, global_interval = 0;
    Epoch shared = 0, global = 0;
    uint64_t calls = 0;
  };
  uint32_t interval = 1;  // counts the synchronisations of any of its lanes
  std::vector<Cached> cached;
  uint32_t next_number = 0, end_number = 0;  // of global accesses, reserved
  Bound synced;                              // by __syncwarp() of all lanes
  /// Of __syncwarp(mask): what lane [to * 32 + from] knows. Made when needed.
  std::unique_ptr<std::array<Bound, kLanes * kLanes>> lanes;
};

/// Pairs of lines that race, of one block, interval by interval; behind them the
/// block's search for races ends. Nobody reads so many, and each costs time.
inline constexpr uint32_t kMostReports = 256;

/// Loads of shared cells that nobody had written; a race on the cell is said instead.
struct UnwrittenRead {
  uint64_t address;
  uint32_t thread, place;
};

struct BlockRaces final : ObservedBlock {
  static constexpr ObserverId kId = ObserverId::Races;

  RaceShadow shared;
  std::vector<Epoch> shared_epochs;    // the four arrays
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
  /// Of this interval between barriers of the block: addresses of accesses and of
  /// cells.
  std::vector<UnwrittenRead> unwritten;
  std::vector<uint64_t> raced;
  /// What was reported in this interval between barriers of the block.
  std::set<std::tuple<int32_t, uint32_t, uint32_t, uint64_t>> reported;
  uint32_t reports = 0;  // of the block so far
  bool gave_up = false;  // there were more than kMostReports
};

[[gnu::always_inline]] inline BlockRaces& races_of(const Block& block) {
  return observed<BlockRaces>(block);
}

/// One memory instruction, reached by one chain of calls.
struct RacePlace {
  const Step* step = nullptr;
  const FunctionCode* code = nullptr;
  uint32_t line = 0;  // the same for all instructions of one source line
  std::vector<std::pair<uint32_t, uint32_t>> callers;

  const MemoryForm& form() const { return code->accesses[step->e]; }
};

/// Who made an access.
struct RaceThread {
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0;
};

/// The executing lanes of one memory step in one space. `first` is lane 0's epoch.
struct RaceTouch {
  const Step* step;
  const MemoryForm* form;
  bool shared;
  Epoch first;
  uint32_t lanes, executing;  // to look at; that take part in the instruction
  std::array<uint64_t, kLanes> address;
};

/// What the check of one lane's access knows of it.
struct RaceSeen {
  Context& context;
  const RaceTouch& touch;
  RaceShadow& shadow;
  uint32_t lane;

  Epoch epoch() const { return touch.first + lane; }
  uint64_t address() const { return touch.address[lane]; }
  uint64_t address_of(uint64_t cell) const {
    return shadow.origin + (cell << shadow.cell_shift);
  }
};

/// Atomics, volatile and relaxed accesses: those that the memory model orders.
inline bool is_strong(const MemoryForm& form) {
  return form.kind == MemoryForm::Kind::Atomic || form.ordered;
}

class RaceDetector final : public Observer {
 public:
  static constexpr ObserverId kId = ObserverId::Races;

  explicit RaceDetector(const LaunchState& launch);
  ~RaceDetector() override;

  std::unique_ptr<ObservedBlock> make_block() const override;
  void start_block(Block& block) override;
  void enter_block(const Block& block) override;
  void end_block(Context& context, Block& block) override;
  void allocate(uint64_t address, uint64_t size) override;
  ReplayPolicy learn(const Replay& replay) override;

  /// Lane 0's epoch of this warp's access in its present interval.
  Epoch epoch(const Context& context, const Step* step, bool shared) {
    const WarpRaces& warp = races_of(*context.block).warps[context.warp->index];
    const auto access = static_cast<size_t>(context.hits - context.all_hits) + step->e;
    const WarpRaces::Cached& cached = warp.cached[access];
    if (context.frame->caller == nullptr && cached.calls == 0) {
      if (shared && cached.shared_interval == warp.interval) return cached.shared;
      if (!shared && cached.global_interval == warp.interval) return cached.global;
    }
    return new_epoch(context, step, shared);
  }
  void look(Context& context, const RaceTouch& touch);

  // What orders accesses (happens_before.cpp).
  void barriers_differ(Block& block) override;
  void arrive_at_barrier(Block& block, uint32_t barrier, uint32_t warp) override;
  void leave_barrier(Context& context, Block& block, uint32_t barrier, uint32_t warps,
                     bool whole) override;
  void sync_lanes(Context& context) override;
  void fence(Context& context, bool block_only) override;  // thread_orders.cpp

  // mbarriers (phase_orders.cpp).
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

  // cp.async (copy_races.cpp).
  void begin_copy(Context& context, const Step* step, AsyncCopy& copy) override;
  void hand_over_copies(Context& context) override;
  void land_copy(Block& block, const AsyncCopy& copy, uint32_t lanes) override;
  void check_sources(Context& context, const Step* step) override;

  const RacePlace& place(const Block& block, Epoch epoch, bool shared) const;
  RaceThread thread(const Block& block, Epoch epoch, bool shared) const;
  /// Whether the access in `epoch` is before all that this thread does now.
  bool is_before(const Block& block, Epoch epoch, bool shared, uint32_t warp,
                 uint32_t lane) const;
  bool has_global() const { return memory_.epochs != nullptr; }

  RaceShadow global;

 private:
  // access_history.cpp
  Epoch new_epoch(const Context& context, const Step* step, bool shared);
  uint32_t place_of(const Context& context, const Step* step, uint64_t calls);
  uint32_t line_of(const FunctionCode& code, const Step* step);
  Epoch new_shared_epoch(Block& block, uint32_t warp, uint32_t place);
  /// The launch is out of numbers for global accesses: a note, once.
  void tell_limit(const Context& context, const Step* step);
  /// The block has had as many races as anyone reads: a note, once.
  void tell_many(const Context& context, const Step* step);
  Epoch new_global_epoch(const Block& block, WarpRaces& warp, uint32_t index,
                         uint32_t place);
  void find_shared_variables();
  void open_interval(WarpRaces& warp) const;
  /// Starts the numbers of a block's accesses again if there were `from` of them.
  void forget_shared(BlockRaces& races, uint32_t from) const;
  Bound now(const Block& block) const;

  // happens_before.cpp
  bool is_before_in_block(const Block& block, Epoch epoch, bool shared,
                          const RaceThread& by, uint32_t warp, uint32_t lane) const;

  // thread_orders.cpp
  static ThreadOrder& order_of(const Block& block, uint32_t thread);
  Published knowledge(const Block& block, uint32_t thread);
  void publish(const RaceSeen& seen, ThreadOrder& order, uint32_t thread, Log& log);
  void synchronise(const RaceSeen& seen);
  void share_in_block(const Block& block);
  void share_fences(const Block& block);
  std::shared_ptr<Log> new_log();
  void empty_logs();
  void share_in_warp(const Block& block, uint32_t warp, uint32_t mask);
  /// A warp arrives at a barrier of some warps, or leaves it.
  void share_at_barrier(const Block& block, uint32_t barrier, uint32_t warp,
                        bool leaves);
  bool is_known(const Block& block, Epoch epoch, bool shared, const RaceThread& by,
                uint32_t thread) const;

  // phase_orders.cpp
  static PhaseOrders& phases_of(const Block& block);
  static void share_phases(const Block& block, uint32_t warp, uint32_t mask);
  static void share_phases_at(const Block& block, uint32_t barrier, uint32_t warp,
                              bool leaves);

  // copy_races.cpp
  /// Reports an access to a cell that a copy in flight will write.
  void meet_copy(const RaceSeen& seen, uint64_t cell);
  /// Whether the store to `at` is reported: it changes what `copy` still reads.
  bool meet_source(Context& context, const Step* step, const AsyncCopy& copy,
                   uint32_t lane, uint64_t at) const;

  // race_rules.cpp
  void check_read(const RaceSeen& seen, uint64_t cell);
  void check_write(const RaceSeen& seen, uint64_t cell);
  void keep_read(const RaceSeen& seen, uint64_t cell);

  // unwritten_shared.cpp
  static void look_for_unwritten(BlockRaces& races);
  void note_unwritten(const RaceSeen& seen);
  void report_unwritten(Context& context, Block& block) const;

  // race_report.cpp
  void report(const RaceSeen& seen, uint64_t cell, Epoch other, bool benign,
              bool in_flight = false);
  uint64_t variable_at(const Context& context, uint64_t address, bool shared) const;

  struct Run {
    uint32_t block, warp;
  };
  const LaunchState& launch_;
  uint32_t access_count_;
  uint32_t run_bits_ = 2;               // a warp takes 2^run_bits_ numbers at once
  uint32_t next_number_ = 0;            // of global accesses
  uint32_t last_number_ = 0;            // none is given from here on
  bool told_limit_ = false;             // further races are lost, and it has been said
  std::vector<Run> runs_;               // by number >> run_bits_, from the first on
  std::vector<uint32_t> global_place_;  // by number
  std::vector<RacePlace> places_;       // [0, access_count_) without calls
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> called_places_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> lines_;
  std::vector<uint64_t> shared_starts_;                      // of shared variables
  std::unordered_map<uint64_t, std::shared_ptr<Log>> logs_;  // of global memory
  std::vector<std::weak_ptr<Log>> all_logs_;                 // they may hold each other
  const Block* running_ = nullptr;
  GlobalShadow memory_;
  uint32_t first_number_ = 0;
};

[[gnu::always_inline]] inline RaceDetector& detector_of(const Context& context) {
  return observer_of<RaceDetector>(context);
}

}  // namespace minitorch::emulator

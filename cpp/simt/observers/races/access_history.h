// Who accessed what in one launch: the instruction, calls and thread behind each epoch,
// the numbers that epochs are made of, and the shadows of memory; and what is kept of
// each resident block.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "simt/observers/races/epoch.h"
#include "simt/observers/races/global_shadow.h"
#include "simt/observers/races/phase_orders.h"
#include "simt/observers/races/thread_orders.h"
#include "simt/warp/findings.h"

namespace minitorch::simt {

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

  void open_interval() {
    ++interval;
    next_number = end_number = 0;
  }
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

  /// Starts the numbers of shared accesses again if there were `from` of them.
  void forget_shared(uint32_t from);
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

class AccessHistory {
 public:
  explicit AccessHistory(const LaunchState& launch);
  ~AccessHistory();
  AccessHistory(const AccessHistory&) = delete;
  AccessHistory& operator=(const AccessHistory&) = delete;

  std::unique_ptr<BlockRaces> make_block() const;
  void start_block() { running_ = nullptr; }
  void enter_block(const Block& block);
  /// All its threads have met.
  void leave_barrier(const Block& block);

  /// Lane 0's epoch of this warp's access in its present interval.
  [[gnu::always_inline]] Epoch epoch(const Context& context, const Step* step,
                                     bool shared) {
    const WarpRaces& warp = races_of(*context.block).warps[context.warp->index];
    const auto access = static_cast<size_t>(context.hits - context.all_hits) + step->e;
    const WarpRaces::Cached& cached = warp.cached[access];
    if (context.frame->caller == nullptr && cached.calls == 0) {
      if (shared && cached.shared_interval == warp.interval) return cached.shared;
      if (!shared && cached.global_interval == warp.interval) return cached.global;
    }
    return new_epoch(context, step, access, shared);
  }
  static Epoch new_shared_epoch(BlockRaces& races, uint32_t warp, uint32_t place);
  /// All accesses up to now.
  Bound now(const Block& block) const;
  /// Nobody has used these bytes of global memory yet, whoever had them before.
  void forget(uint64_t address, uint64_t size);

  const RacePlace& place(const Block& block, Epoch epoch, bool shared) const;
  const RacePlace& place(uint32_t number) const { return places_[number]; }
  RaceThread thread(const Block& block, Epoch epoch, bool shared) const;
  bool has_global() const { return memory_.epochs != nullptr; }

  RaceShadow global;

 private:
  Epoch new_epoch(const Context& context, const Step* step, size_t access, bool shared);
  Epoch new_global_epoch(const Block& block, WarpRaces& warp, uint32_t index,
                         uint32_t place);
  uint32_t place_of(const Context& context, const Step* step, size_t access,
                    uint64_t calls);
  void describe(RacePlace& place, const Context& context, const Step* step);
  uint32_t line_of(const FunctionCode& code, const Step* step);
  /// The launch is out of numbers for global accesses: a note, once.
  void tell_limit(const Context& context, const Step* step);

  struct Run {
    uint32_t block, warp;
  };
  const LaunchState& launch_;
  uint32_t access_count_;
  uint32_t run_bits_ = 2;      // a warp takes 2^run_bits_ numbers at once
  uint32_t first_number_ = 0;  // of global accesses
  uint32_t next_number_ = 0;
  uint32_t last_number_ = 0;            // none is given from here on
  bool told_limit_ = false;             // further races are lost, and it has been said
  std::vector<Run> runs_;               // by number >> run_bits_, from the first on
  std::vector<uint32_t> global_place_;  // by number
  std::vector<RacePlace> places_;       // [0, access_count_) without calls
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> called_places_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> lines_;
  const Block* running_ = nullptr;
  GlobalShadow memory_;
};

}  // namespace minitorch::simt

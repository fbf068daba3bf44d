// Owns race detection in one launch: who accessed what, and what is reported. Runs on
// one host thread. Must not know how instructions execute.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "emulator/findings.h"
#include "emulator/observers/block_races.h"
#include "emulator/observers/global_shadow.h"

namespace minitorch::emulator {

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

/// The executing lanes of one memory step in one space. `first` is lane 0's stamp.
struct RaceTouch {
  const Step* step;
  const MemoryForm* form;
  bool shared;
  Stamp first;
  uint32_t lanes, executing;  // to look at; that take part in the instruction
  std::array<uint64_t, kLanes> address;
};

struct RaceSeen;

class RaceDetector {
 public:
  explicit RaceDetector(const LaunchState& launch);
  ~RaceDetector();
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;

  std::unique_ptr<BlockRaces> make_block() const;
  void start(Block& block);
  /// `block` is over, at its end or by a fault.
  void finish(Context& context, Block& block);
  /// `block` runs now: before, another one may have.
  void enter(const Block& block);

  /// Lane 0's stamp of this warp's access in its present stretch.
  Stamp stamp(const Context& context, const Step* step, bool shared) {
    const WarpRaces& warp = context.block->races->warps[context.warp->index];
    const auto access = static_cast<size_t>(context.hits - context.all_hits) + step->e;
    const WarpRaces::Cached& cached = warp.cached[access];
    if (context.frame->caller == nullptr && cached.calls == 0) {
      if (shared && cached.shared_stretch == warp.stretch) return cached.shared;
      if (!shared && cached.global_stretch == warp.stretch) return cached.global;
    }
    return new_stamp(context, step, shared);
  }
  void look(Context& context, const RaceTouch& touch);
  /// Global memory that a kernel's malloc gave: nobody has used it yet, whoever had it
  /// before.
  void forget(uint64_t address, uint64_t size);

  // What orders accesses (happens_before.cpp).
  void arrive(Block& block, uint32_t barrier, uint32_t warp);
  /// `warps` leave a barrier: `whole` if it was one of the whole block.
  void leave_barrier(Context& context, Block& block, uint32_t barrier, uint32_t warps,
                     bool whole);
  void sync_lanes(Context& context);
  void fence(Context& context, bool block_only);  // release_acquire.cpp

  // mbarriers (phase_orders.cpp). `at`: offset in shared memory.
  /// An mbarrier instruction of `lanes`, as an access and against the initialisation.
  void look_at_mbarrier(Context& context, const Step* step,
                        const std::array<uint32_t, kLanes>& at, uint32_t lanes);
  void begin_mbarrier(const Context& context, const Step* step, uint32_t at,
                      uint32_t lane);
  void arrive_at_phase(const Context& context, uint32_t at, uint32_t lane,
                       bool relaxed);
  static void complete_phase(const Block& block, uint32_t at);
  /// A lane has found the last phase over.
  void leave_phase(const Context& context, uint32_t at, uint32_t lane, bool relaxed);
  /// What the warp does from now on was not known at the arrivals before.
  void end_stretch(const Context& context);

  // cp.async (copy_races.cpp).
  void begin_copy(Context& context, const Step* step, AsyncCopy& copy);
  /// The copies of the executing lanes will arrive for others as of now.
  void number_landings(Context& context);
  void land_copy(Block& block, const AsyncCopy& copy, uint32_t lanes);
  /// A store of the executing lanes against what copies still read.
  void check_sources(Context& context, const Step* step);

  const RacePlace& place(const Block& block, Stamp stamp, bool shared) const;
  RaceThread thread(const Block& block, Stamp stamp, bool shared) const;
  /// Whether the access in `stamp` is before all that this thread does now.
  bool is_before(const Block& block, Stamp stamp, bool shared, uint32_t warp,
                 uint32_t lane) const;
  bool has_global() const { return memory_.stamps != nullptr; }
  /// No access of this launch stores to bytes [low, high) of global memory.
  bool is_only_read(uint64_t low, uint64_t high) const;

  RaceShadow global;

 private:
  // race_records.cpp
  Stamp new_stamp(const Context& context, const Step* step, bool shared);
  uint32_t place_of(const Context& context, const Step* step, uint64_t calls);
  uint32_t line_of(const FunctionCode& code, const Step* step);
  Stamp new_shared_stamp(Block& block, uint32_t warp, uint32_t place);
  /// The launch is out of numbers for global accesses: a note, once.
  void tell_limit(const Context& context, const Step* step);
  /// The block has had as many races as anyone reads: a note, once.
  void tell_many(const Context& context, const Step* step);
  Stamp new_global_stamp(const Block& block, WarpRaces& warp, uint32_t index,
                         uint32_t place);
  void find_shared_variables();
  void open_stretch(WarpRaces& warp) const;
  /// Starts the numbers of a block's accesses again if there were `from` of them.
  void forget_shared(BlockRaces& races, uint32_t from) const;
  Bound now(const Block& block) const;

  // happens_before.cpp
  bool is_before_in_block(const Block& block, Stamp stamp, bool shared,
                          const RaceThread& by, uint32_t warp, uint32_t lane) const;

  // release_acquire.cpp
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
  bool is_known(const Block& block, Stamp stamp, bool shared, const RaceThread& by,
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

  // written_ranges.cpp
  void find_written();

  // race_check.cpp
  void check_read(const RaceSeen& seen, uint64_t cell);
  void check_write(const RaceSeen& seen, uint64_t cell);
  void keep_read(const RaceSeen& seen, uint64_t cell);

  // unwritten_shared.cpp
  static void look_for_unwritten(BlockRaces& races);
  void note_unwritten(const RaceSeen& seen);
  void report_unwritten(Context& context, Block& block) const;

  // race_report.cpp
  void report(const RaceSeen& seen, uint64_t cell, Stamp other, bool benign,
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
  std::vector<AllocationHit> written_;  // all that may be stored to
  bool writes_anywhere_ = false;        // that is not known
  GlobalShadow memory_;
  uint32_t first_number_ = 0;
};

}  // namespace minitorch::emulator

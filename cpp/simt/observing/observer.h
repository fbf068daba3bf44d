// What an observer of launches is: what its row in the list declares, what the
// executor tells it, and what it brings back.
//
// Accesses and instructions are seen by probes, steps of the observer's own between
// those of the program (probes.inc). Hooks are for what happens to blocks, and
// between their threads. A launch without checks has neither.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "simt/lanes/step.h"

namespace minitorch::simt {

class Replay;
struct AsyncCopy;
struct Block;
struct Context;
struct LaunchState;
struct MergedNotes;
struct Observed;
struct Outcome;

/// An observer by its place in the list.
enum class ObserverId : uint8_t {
#define OBSERVER(Name) Name,
#include "simt/observing/list.inc"
#undef OBSERVER
};

inline constexpr size_t kObservers = 0
#define OBSERVER(Name) +1
#include "simt/observing/list.inc"
#undef OBSERVER
    ;

/// What an observer keeps of one resident block; the block owns it.
struct ObservedBlock {
  ObservedBlock() = default;
  ObservedBlock(const ObservedBlock&) = delete;
  ObservedBlock& operator=(const ObservedBlock&) = delete;
  virtual ~ObservedBlock();
};

/// Whether the other blocks of a straight kernel may follow from the first without
/// their probes (replay.h), and whether the observer is told of each that does.
enum class ReplayPolicy : uint8_t { Never, Unseen, Told };

class ThreadObserver;

/// An observer of one launch on one host thread. Each hook does nothing unless the
/// observer has its own.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer();

  /// Itself, if it is told of what happens between threads.
  virtual ThreadObserver* threads() { return nullptr; }
  /// What its probes have at hand in Context::probed.
  virtual void* probed() { return this; }

  // Blocks.
  /// What is kept of a resident block; null: nothing. Used for one block after the
  /// other.
  virtual std::unique_ptr<ObservedBlock> make_block() const { return nullptr; }
  virtual void start_block(Block&) {}
  /// The block runs now: before, another one may have.
  virtual void enter_block(const Block&) {}
  /// The block is over, at its end or by a fault.
  virtual void end_block(Context&, Block&) {}

  // Blocks that follow from the first.
  /// The first block has run, and was straight: what is known of the others is asked
  /// of `replay`.
  virtual ReplayPolicy learn(const Replay&) { return ReplayPolicy::Never; }
  /// One of them runs now; only where learn() said Told.
  virtual void replay_block(const Replay&) {}
  virtual void end_replays(uint64_t /*blocks*/) {}

  // The result.
  /// What the same observer of another host thread has seen.
  virtual void add(const Observer&) {}
  virtual void give(Outcome&) {}
};

/// An observer that is also told of what happens between the threads of a block.
class ThreadObserver : public Observer {
 public:
  ThreadObserver* threads() final { return this; }

  // Barriers of the block.
  /// Threads wait for one barrier at different instructions.
  virtual void barriers_differ(Block&) {}
  /// A warp arrives at a barrier that counts its threads.
  virtual void arrive_at_barrier(Block&, uint32_t /*barrier*/, uint32_t /*warp*/) {}
  /// `warps`, one bit each, leave a barrier; `whole`: they are all of the block.
  virtual void leave_barrier(Context&, Block&, uint32_t /*barrier*/, uint32_t /*warps*/,
                             bool /*whole*/) {}

  // Warps: for the executing lanes. Handlers call these two, so that no body of theirs
  // may be compiled for one instruction set only.
  /// They have come together at a __syncwarp().
  virtual void sync_lanes(Context&);
  /// `block_only`: a fence of block scope.
  virtual void fence(Context&, bool block_only);

  // cp.async.
  virtual void begin_copy(Context&, const Step*, AsyncCopy&) {}
  /// The copies of the executing lanes will arrive for others as of now.
  virtual void hand_over_copies(Context&) {}
  virtual void land_copy(Block&, const AsyncCopy&, uint32_t /*lanes*/) {}
  /// The executing lanes are about to store where copies may still read.
  virtual void check_sources(Context&, const Step*) {}

  // mbarriers. `at`: offset in shared memory.
  /// An instruction of `lanes` uses them.
  virtual void use_mbarriers(Context&, const Step*,
                             const std::array<uint32_t, kLanes>& /*at*/,
                             uint32_t /*lanes*/) {}
  virtual void begin_mbarrier(const Context&, const Step*, uint32_t /*at*/,
                              uint32_t /*lane*/) {}
  virtual void arrive_at_phase(const Context&, uint32_t /*at*/, uint32_t /*lane*/,
                               bool /*relaxed*/) {}
  virtual void complete_phase(const Block&, uint32_t /*at*/) {}
  /// A lane has found the last phase over.
  virtual void leave_phase(const Context&, uint32_t /*at*/, uint32_t /*lane*/,
                           bool /*relaxed*/) {}
  /// All lanes have arrived: nobody who waits learns what they do from now on.
  virtual void end_arrivals(const Context&) {}

  // Memory.
  /// A kernel's malloc gave this memory: nobody has used it yet, whoever had it before.
  virtual void allocate(uint64_t /*address*/, uint64_t /*size*/) {}
};

/// What an observer declares of itself.
struct ObserverRow {
  /// Bits of Launch::checks; each asks for it and for its probes.
  uint32_t checks = 0;
  /// Blocks run in order on one host thread, so that every run shows and finds the
  /// same.
  bool in_order = false;
  /// Null: its probes keep what they know in warps and memory.
  std::unique_ptr<Observer> (*make)(const LaunchState&) = nullptr;
  /// May drop notes when those of all host threads are known; null: none.
  void (*revise)(MergedNotes&) = nullptr;
};

#define OBSERVER(Name) extern const ObserverRow k##Name##Row;
#include "simt/observing/list.inc"
#undef OBSERVER

/// What the outcome holds of counters and traces; made when first needed.
Observed& observed_of(Outcome& outcome);

}  // namespace minitorch::simt

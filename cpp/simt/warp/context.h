// The state of one host thread while it executes paths: what handlers see beyond the
// lanes. The functions declared here are the slow roads of the handlers, compiled once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "cuda_abi/inspect.h"
#include "simt/lanes/step.h"
#include "simt/memory/memory.h"
#include "simt/warp/warp.h"

namespace minitorch::simt {

class Findings;
class FramePool;
struct LaunchState;

/// The allocation a memory step used last: accesses in [low, high) need no look-up.
struct AllocationHit {
  uint64_t low = 1, high = 0;

  /// Without a sum that could pass the end of the address space.
  bool holds(uint64_t address, uint64_t size) const {
    return address >= low && address < high && size <= high - address;
  }

  bool asked = false;      // whether all of it has been written
  bool written = false;    // it has, so loads need not look at each byte
  bool only_read = false;  // no access of the launch stores to it
};

/// Where a step keeps its bounds in shared memory. A generic access has two bounds, the
/// one in global memory at Step::e: offsets in shared memory must never be admitted as
/// addresses, nor addresses as offsets.
inline uint32_t shared_hit(const Step* step, uint64_t bias) {
  return step->e + (bias == kSharedBase ? 0 : 1);
}

enum class Stop : uint8_t { Idle, Yielded, Faulted };

struct Context : LaneState {
  Warp* warp = nullptr;
  Block* block = nullptr;
  Frame* frame = nullptr;
  Join* join = nullptr;
  uint32_t segment = 0;
  uint32_t unguarded_mask = 0;  // the path's mask while a guard narrows `mask`
  uint64_t executed = 0;        // warp instructions of the block
  uint64_t slice_end = 0;       // the path yields at the first backward branch after it
  uint64_t spun = 0;            // cost of instructions that are typical of spin loops
  Stop stop = Stop::Idle;
  bool waits = false;  // the slice had instructions that are typical of spin loops
  const Step* looks = nullptr;  // the last of them that looked at memory
  bool repeats = false;  // the slice ended in the state in which the one before did
  bool polls = false;    // the slice asked for a phase of an mbarrier that is not over
  bool looks_outside = false;  // the slice looked at what other blocks may change

  uint8_t* shared = nullptr;
  uint32_t shared_bytes = 0;
  uint32_t* local = nullptr;      // the warp's words
  uint32_t local_bytes = 0;       // in use by each of its threads
  AllocationHit* hits = nullptr;  // of this frame's function, by Step::e
  AllocationHit* all_hits = nullptr;
  Memory* memory = nullptr;
  uint64_t* init_words = nullptr;
  uint64_t arena_base = 0;

  const Program* program = nullptr;
  const LaunchState* launch = nullptr;
  const AllocationTable* table = nullptr;
  /// Components of loads that are only copied (admit.cpp), found when first needed.
  std::unordered_map<const Step*, uint32_t> copied;
  /// Divisions whose results a step may use (poison_use.cpp), found when first needed.
  std::unordered_map<const Step*, std::vector<uint32_t>> divisions;
  Findings* findings = nullptr;
  FramePool* frames = nullptr;
  std::span<ThreadObserver* const> observers;  // to be told of threads; mostly none
  std::array<void*, kObservers> probed = {};   // by ObserverId, for their own probes
  Join* free_joins = nullptr;
};

inline Context& context(LaneState& state) { return static_cast<Context&>(state); }

/// An observer, for its own probes: they are only in programs that it watches.
template <class T>
[[gnu::always_inline]] inline T& observer_of(const Context& context) {
  void* const probed = context.probed[static_cast<size_t>(T::kId)];
  return static_cast<T&>(*static_cast<Observer*>(probed));
}
/// What an observer keeps of a block.
template <class T>
[[gnu::always_inline]] inline T& observed(const Block& block) {
  return static_cast<T&>(*block.observed[static_cast<size_t>(T::kId)]);
}

/// Sets the executing lanes (and the per-lane form, if not all execute).
void set_mask(Context& context, uint32_t mask);

// Paths (paths.cpp). Those that return a step return the one to go on with, or nullptr
// when the warp has nothing to run.
const Step* resume(Context& context, const Path& path);
const Step* next_path(Context& context);
const Step* diverge(Context& context, const Step* branch, uint32_t taken);
const Step* jump_table(Context& context, const Step* branch);
const Step* arrive(Context& context, const Step* marker);
const Step* exit_lanes(Context& context, const Step* step);
const Step* expire(Context& context, const Step* target, const Step* branch);
/// Counts the straight run that ends before instruction `end`.
void close_segment(Context& context, uint32_t end);

/// The time slice of the path ends `at` a backward branch or a call (spin.cpp).
void note_state(Context& context, const Step* at);

// Joins (joins.cpp).
Join* new_join(Context& context, const Step* at, uint32_t expected);
/// Gives a join back, and with the join of a call its frame.
void free_join(Context& context, Join* join);
/// `lanes` will not arrive at the joins from `join` up to (not including) `until`.
void leave_joins(Context& context, Join* join, const Join* until, uint32_t lanes);
/// At the end of a time slice: releases lanes that have waited at `join` or its parents
/// for a whole slice while no other lane came, since the others may wait for them.
void break_stale_joins(Context& context, Join* join);
/// Releases the lanes that wait at `join` and its parents; true if there were any.
bool break_joins(Context& context, Join* join);

// Calls (calls.cpp, slots.cpp).
const Step* enter_call(Context& context, const Step* call);
const Step* enter_indirect_call(Context& context, const Step* call);
const Step* leave_call(Context& context, const Step* step);
const Step* load_slot(Context& context, const Step* step);
const Step* store_slot(Context& context, const Step* step);
const Step* load_parameter_at(Context& context, const Step* step);

// The device runtime (device_runtime.cpp, print.cpp).
const Step* call_vprintf(Context& context, const Step* step);
const Step* call_malloc(Context& context, const Step* step);
const Step* call_free(Context& context, const Step* step);
const Step* call_assert(Context& context, const Step* step);
const Step* read_clock(Context& context, const Step* step);

/// Reports the first executing lane whose index is outside (index_faults.cpp); goes on
/// where that is none.
const Step* refuse_index(Context& context, const Step* step);

// Asynchronous copies (async_copies.cpp).
const Step* start_copy(Context& context, const Step* step);
const Step* commit_copies(Context& context, const Step* step);
const Step* next_copy(Context& context, const Step* step);
const Step* again_copy(Context& context, const Step* step);
const Step* note_source(Context& context, const Step* step);
const Step* check_sources(Context& context, const Step* step);
/// A copy arrives in shared memory for `lanes`, wherever their thread is.
void land_copy(Context& context, AsyncCopy& copy, uint32_t lanes);

// mbarriers (mbarrier.cpp).
const Step* init_mbarrier(Context& context, const Step* step);
const Step* invalidate_mbarrier(Context& context, const Step* step);
const Step* arrive_at_mbarrier(Context& context, const Step* step);
const Step* test_mbarrier(Context& context, const Step* step);
const Step* count_pending(Context& context, const Step* step);
const Step* arrive_with_copies(Context& context, const Step* step);

// Threads together (barriers.cpp, collectives.cpp).
const Step* arrive_at_barrier(Context& context, const Step* step);
void recheck_barriers(Context& context, Block& block);
const Step* gather_members(Context& context, const Step* step);
bool recheck_collectives(Context& context);
/// A parked path goes on with those lanes of its collective that have come.
void stop_waiting(Warp& warp, uint32_t parked);

/// What is known of the memory instruction of a step.
const MemoryForm& form_of(const Context& context, const Step* step);

// Memory checks (admit.cpp): true when every executing lane's access is allowed, else
// the block has got its fault. What stays below does not stop the kernel.
/// Keeps in `hits` what an access may touch from now on without being asked again.
bool admit_global(Context& context, const Step* step, AllocationHit& hit);
bool admit_shared(Context& context, const Step* step, uint64_t bias);
bool admit_local(Context& context, const Step* step, uint64_t bias);
void mark_written(Context& context, uint64_t address, uint64_t size);
/// Components of a load that are only copied (copies.h), one bit each.
uint32_t copied_components(Context& context, const Step* step);
/// A use of poisoned lanes (poison_steps.h), and bytes that were stored from them.
void report_poison(Context& context, const Step* step);
void forget_stored(Context& context, const Step* step);
/// The result of a division by zero is undefined from now on.
void follow_division(Context& context, const Step* step);
void report_division_by_zero(Context& context, const Step* step);

/// Whether warp operations without some of their lanes are only listed.
bool tolerates_lost_lanes(const Context& context);

// Faults (faults.cpp) end the block; they return nullptr.
const Step* fault(Context& context, const Step* step, MtFindingKind kind, uint32_t lane,
                  const char* detail = "");
const Step* trap(Context& context, const Step* step);
const Step* unsupported(Context& context, const Step* step);

inline void save_path(const Context& context, const Step* at, Path& to) {
  to.at = at;
  to.mask = context.mask;
  to.segment = context.segment;
  to.join = context.join;
  to.frame = context.frame;
}
inline Path current_path(const Context& context, const Step* at) {
  Path path;
  save_path(context, at, path);
  return path;
}

/// Lowest lane of a mask.
inline uint32_t first_lane(uint32_t mask) {
  return static_cast<uint32_t>(__builtin_ctz(mask));
}
inline uint32_t lane_count(uint32_t mask) {
  return mask == kFullMask ? kLanes : static_cast<uint32_t>(__builtin_popcount(mask));
}

}  // namespace minitorch::simt

// The data of running blocks: warps as sets of paths, joins, call frames,
// barriers. Plain structs; the rules are in paths.cpp, calls.cpp, barriers.cpp and
// scheduler.cpp.
//
// The lanes of a warp are shared out among its paths, its joins (lanes that arrived)
// and `exited`; so a warp never has more than 32 paths.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simt/lanes/step.h"
#include "simt/observing/observer.h"
#include "simt/program/code.h"
#include "simt/warp/async_copies.h"
#include "simt/warp/block_time.h"
#include "simt/warp/mbarrier.h"

namespace minitorch::simt {

struct Frame;
struct Block;

inline constexpr uint32_t kBarriers = 16;
inline constexpr uint32_t kMaxWarps = 32;

/// The lanes of a divergent branch come together at `at` (a join marker), those of a
/// call at its return. The owner of each lane in `expected` and not in `arrived` is a
/// path whose chain of joins holds this one.
struct Join {
  const Step* at = nullptr;  // null: the return of `frame`
  uint32_t expected = 0, arrived = 0;
  uint32_t seen = 0;    // lanes that had arrived when a time slice last ended
  bool broken = false;  // lanes pass one by one instead of waiting
  Join* parent = nullptr;
  Frame* frame = nullptr;
};

/// One activation of a function by some lanes of a warp.
struct Frame {
  const FunctionCode* code = nullptr;
  uint8_t* registers = nullptr;
  Pattern* patterns = nullptr;
  Frame* caller = nullptr;
  const Step* return_to = nullptr;  // step after the call
  uint32_t local_base = 0;          // of this frame in each thread's local memory
  uint32_t depth = 0;
  bool divided = false;  // by zero, where the result is followed
  Frame* next_free = nullptr;
};

struct Path {
  const Step* at = nullptr;
  uint32_t mask = 0;
  uint32_t segment = 0;  // instruction from which this straight run is not yet counted
  Join* join = nullptr;
  Frame* frame = nullptr;
};

/// A path that waits for other threads; `path.at` is where it goes on.
struct Parked {
  enum class Reason : uint8_t { Barrier, Collective };
  Path path;
  const Step* step = nullptr;  // the barrier or collective
  Reason reason = Reason::Barrier;
  uint32_t barrier = 0;    // id
  uint32_t members = 0;    // lanes a collective waits for
  uint32_t strangers = 0;  // of them, those that came to it with another mask
};

/// Where lanes last got a value that is not defined (poison.h).
struct PoisonTrace {
  uint32_t lanes = 0;
  uint32_t function = ptx::kNone, instruction = ptx::kNone;
  uint64_t address = 0;
  uint32_t size = 0;
  uint64_t low = 0, high = 0;  // local memory to which values made of it were stored
};

/// Time slices after which a path is seen to be in the same state again, at most.
inline constexpr uint8_t kLongestPeriod = 32;

/// The states in which the time slices of a path ended.
struct PathStates {
  uint64_t kept = 0;  // a digest; 0: none yet
  /// Slices since then; that may pass until another state is kept; that pass until a
  /// state comes again, 0 when none does.
  uint8_t age = 0, most = 1, period = 0;
  const Step* looks = nullptr;  // SpinHint by which the path last looked at memory

  /// Whether the path goes round, if its slice has ended in `state`.
  bool repeats(uint64_t state);
};

struct Warp {
  uint32_t index = 0;
  uint32_t lanes = 0;  // that exist
  uint32_t exited = 0;
  uint32_t exit_function = 0, exit_instruction = 0, exit_lane = 0;  // of the last exit
  uint32_t ready_count = 0, ready_head = 0, parked_count = 0;
  Frame entry;
  std::vector<uint32_t> local;         // word w of lane l at [w * 32 + l]
  std::vector<uint32_t> local_poison;  // lanes, by byte; if the program has shadows
  const Step* unwaited = nullptr;  // collective that runs without lanes that never come
  bool gathered = false;  // gather_members runs a collective, with the lanes it has
  PoisonTrace unwritten, lost;                 // by local memory, by a shuffle
  std::vector<PoisonTrace> divisions;          // by zero, whose results are followed
  std::array<Path, kLanes> ready;              // ring
  std::array<PathStates, kLanes> states = {};  // of paths, by first lane
  bool has_states = false;                     // any of them is not {}
  std::array<Parked, kLanes> parked;
  std::unique_ptr<AsyncCopies> copies;  // made at the first cp.async

  bool finished() const { return (lanes & ~exited) == 0; }
  void forget_states() {
    if (std::exchange(has_states, false)) states.fill({});
  }
  // Fields are written one by one: a copy in wider pieces would wait for them.
  void push_ready(const Path& path) {
    Path& to = ready[(ready_head + ready_count++) % kLanes];
    to.at = path.at;
    to.mask = path.mask;
    to.segment = path.segment;
    to.join = path.join;
    to.frame = path.frame;
  }
  /// Valid until the next push.
  const Path& pop_ready() {
    const Path& path = ready[ready_head];
    ready_head = (ready_head + 1) % kLanes;
    --ready_count;
    return path;
  }
};

struct BarrierState {
  uint32_t arrived = 0;         // threads of this instance
  uint32_t count = 0;           // threads needed; 0: all that have not exited
  const Step* first = nullptr;  // the first barrier instruction of this instance
  Frame* first_frame = nullptr;
  uint32_t first_thread = 0;
  uint32_t warps = 0;  // that have arrived, when `count` is given; see Block::counted
  uint32_t sum = 0;    // of bar.red
  bool all = true, any = false;
};

/// A backward branch at which time slices ended, with a thread that took it.
struct HotBranch {
  const Step *branch, *target;
  uint32_t function;  // of the branch; its frame may be gone
  uint32_t thread;
  bool waits;  // on memory: the loop has volatile loads or atomics
  uint64_t count;
};

/// A resident block; its register files belong to whoever made it.
struct Block {
  uint64_t number = 0;
  uint32_t x = 0, y = 0, z = 0;
  uint32_t sm = 0;
  uint32_t threads = 0, exited = 0;
  uint32_t waiting = 0;   // paths parked at barriers
  uint64_t executed = 0;  // warp instructions
  uint8_t* shared = nullptr;
  std::array<std::unique_ptr<ObservedBlock>, kObservers> observed;  // by ObserverId
  std::vector<Warp> warps;
  std::vector<HotBranch> hot_branches;
  const Step* left_early =
      nullptr;  // barrier last noted to complete without the exited
  std::array<BarrierState, kBarriers> barriers;
  BlockTime time;
  std::unique_ptr<Mbarriers> mbarriers;  // made at the first mbarrier.init
  /// The lanes of each warp in BarrierState::warps that have arrived: `bar.arrive` lets
  /// them leave the kernel before the barrier completes.
  std::array<std::array<uint32_t, kMaxWarps>, kBarriers> counted;
};

}  // namespace minitorch::simt

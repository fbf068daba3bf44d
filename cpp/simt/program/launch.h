// The contract between the driver half (contexts, streams) and the executors: what a
// launch is and what comes back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/card_profile.h"
#include "base/dim3.h"
#include "cuda_abi/inspect.h"
#include "ptx/program.h"
#include "simt/memory/memory.h"

namespace minitorch::simt {

/// A module placed in memory: where its global and const variables lie.
struct LoadedModule {
  std::shared_ptr<const ptx::Module> module;
  std::vector<uint64_t>
      variable_address;  // by Module::variables index; 0 if not placed
};

/// A function made ready for the vector engine; made once per loaded function, shared
/// by all its launches and threads.
class Code;
std::shared_ptr<const Code> make_code(const LoadedModule& module, uint32_t function);

/// One kernel launch. `parameters` is the packed parameter buffer (offsets as in
/// ptx::Function::parameters). The checks of the launch configuration (block size,
/// shared memory) have been made by the driver half.
struct Launch : MtLaunchOptions {
  const LoadedModule* module = nullptr;
  uint32_t function = 0;  // index of the entry in the module
  std::shared_ptr<const Code> code;
  base::Dim3 grid, block;
  uint32_t dynamic_shared = 0;
  /// Of a cooperative launch: device memory with the grid's barrier. All blocks are
  /// then under way at once, as they wait for each other. 0: an ordinary launch.
  uint64_t grid_workspace = 0;
  std::vector<uint8_t> parameters;
  Memory* memory = nullptr;
  uint64_t heap_limit = uint64_t{8} << 20;  // bytes that kernels may hold by malloc
  const base::CardProfile* profile = nullptr;
  bool repeatable = false;  // steps stand for time, so that every run ends alike
  /// Intervals with accesses to global memory that are searched for races, rounded up
  /// to whole warps' runs; at most what epochs can tell apart.
  uint32_t race_limit = ~uint32_t{0};
  size_t threads = 1;  // host threads to spread blocks over
  const base::CancelFlag* cancel = nullptr;
  std::function<void(const std::string&)> print;  // output of printf, in whole pieces
};

struct Observed;   // observers/observed.h
struct Footprint;  // observers/footprint/footprint.h

/// Checks that need to know who wrote and read each cell: races, and shared memory that
/// nobody has written.
inline constexpr uint32_t kRaceChecks = MtCheck_Race | MtCheck_UninitShared;

inline bool tolerates(const Launch& launch, MtFindingKind kind) {
  return launch.tolerated >> kind & 1;
}

struct Outcome {
  /// Findings in a fixed order whatever the number of threads: a stopping fault (at
  /// most one: that of the lowest block) first, then the others by line, kind.
  std::vector<MtFinding> findings;
  bool cancelled = false;
  bool stopped() const { return !findings.empty() && findings[0].stopped != 0; }
  uint64_t blocks = 0, warp_instructions = 0;
  std::shared_ptr<Observed> observed;    // null unless counted or traced
  std::shared_ptr<Footprint> footprint;  // null unless kFootprintCheck
};

/// More blocks than these take minutes even if they are empty, about 0.1 us each:
/// allowed only where blocks follow from others (replays).
inline constexpr uint64_t kMostBlocks = uint64_t{1} << 29;
std::string too_many_blocks(const base::Dim3& grid);

/// Whether the function is straight, so that most of its blocks need not be run
/// instruction by instruction (replay.h).
bool replays(const Code& code, uint32_t checks);

/// Runs all blocks on the vector engine; nothing the kernel does throws or ends the
/// process.
Outcome run(const Launch& launch);

/// The oracle: the same contract, one thread and one instruction at a time, slow and
/// plain. Always one host thread.
Outcome run_scalar(const Launch& launch);

}  // namespace minitorch::simt

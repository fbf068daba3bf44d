// Owns a launch from its start to its outcome: spreading blocks over host threads,
// merging what they found. Must not know instructions.
#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <tuple>

#include "base/text.h"
#include "base/thread_pool.h"
#include "emulator/describe.h"
#include "emulator/engine.h"
#include "emulator/observers/count_tally.h"
#include "emulator/scheduler.h"

namespace minitorch::emulator {
namespace {

/// Gives out block numbers in order, a few at a time.
class BlockSource {
 public:
  BlockSource(const LaunchState& launch, size_t workers)
      : launch_(launch),
        chunk_(std::clamp<uint64_t>(launch.blocks / (workers * 16), 1, 256)) {}

  struct Chunk {
    uint64_t begin = 0, end = 0;
  };
  bool next(Chunk& chunk, uint64_t& block) {
    if (chunk.begin == chunk.end) {
      chunk.begin = std::min(next_.fetch_add(chunk_), launch_.blocks);
      chunk.end = std::min(chunk.begin + chunk_, launch_.blocks);
    }
    if (chunk.begin == chunk.end || launch_.is_pointless(chunk.begin)) return false;
    block = chunk.begin++;
    return true;
  }

 private:
  const LaunchState& launch_;
  const uint64_t chunk_;
  std::atomic<uint64_t> next_{0};
};

using Order = std::tuple<uint32_t, uint32_t, int32_t, uint32_t, uint32_t>;

using Notes = std::map<Findings::Key, std::pair<FindingRecord, uint64_t>>;

/// Whether the same lines also store different values into the same variable.
bool races_as_well(const Notes& notes, Findings::Key key) {
  for (const MtFindingKind kind : {MtFinding_RaceShared, MtFinding_RaceGlobal}) {
    key.kind = kind;
    if (notes.contains(key)) return true;
  }
  return false;
}

/// All findings that count: those of blocks up to the one that ended the launch.
std::vector<MtFinding> merge(const LaunchState& state,
                             const std::vector<std::unique_ptr<Scheduler>>& workers) {
  std::vector<MtFinding> findings;
  const FindingRecord* fault = nullptr;
  Notes notes;
  const uint64_t last = state.faulted_block.load();
  for (const auto& worker : workers) {
    const FindingRecord* own = worker->findings().fault();
    if (own && (!fault || own->site.block < fault->site.block)) fault = own;
    for (const auto& [key, entry] : worker->findings().notes()) {
      uint64_t count = 0;
      for (const auto& [block, times] : entry.per_block) {
        if (block <= last) count += times;
      }
      if (count == 0 || entry.first.site.block > last) continue;
      const auto [at, fresh] = notes.try_emplace(key, entry.first, 0);
      at->second.second += count;
      if (!fresh && entry.first.site.block < at->second.first.site.block) {
        at->second.first = entry.first;
      }
    }
  }
  if (fault) findings.push_back(describe_finding(state, *fault, 1));
  for (const auto& [key, note] : notes) {
    if (key.kind == MtFinding_RaceBenign && races_as_well(notes, key)) continue;
    findings.push_back(describe_finding(state, note.first, note.second));
  }
  std::stable_sort(findings.begin() + (fault ? 1 : 0), findings.end(),
                   [](const MtFinding& a, const MtFinding& b) {
                     const auto& x = a.site.position;
                     const auto& y = b.site.position;
                     return std::tie(x.line, a.kind) < std::tie(y.line, b.kind);
                   });
  return findings;
}

void prepare(const Launch& launch, const Program& program, LaunchState& state) {
  state.launch = &launch;
  state.program = &program;
  state.table = launch.memory->table();
  state.blocks = launch.grid.count();
  state.threads = static_cast<uint32_t>(launch.block.count());
  state.warps = (state.threads + kLanes - 1) / kLanes;
  state.place_shared();
}

/// What all host threads counted, and the trace of the only one.
std::shared_ptr<const Observed> observe(
    const LaunchState& state, const std::vector<std::unique_ptr<Scheduler>>& workers) {
  const uint32_t wanted = state.launch->checks & (MtCheck_Counters | MtCheck_Trace);
  if (wanted == 0) return nullptr;
  auto observed = std::make_shared<Observed>();
  observed->trace = workers[0]->take_trace();
  if (!(wanted & MtCheck_Counters)) return observed;
  std::vector<uint64_t> counts(state.program->count_slots);
  for (const auto& worker : workers) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += worker->counts()[i];
  }
  tally(*state.program, counts, *observed);
  return observed;
}

/// Blocks of a launch that is traced or searched for races run in order on one
/// thread, so that every run shows and finds the same.
size_t worker_count(const Launch& launch, uint64_t blocks) {
  if (launch.checks & (MtCheck_Trace | kRaceChecks | kFootprintCheck)) return 1;
  return static_cast<size_t>(
      std::clamp<uint64_t>(launch.threads, 1, std::max<uint64_t>(blocks, 1)));
}

Outcome run_checked(const Launch& launch) {
  const Program& program =
      launch.code->program(find_engine(active_isa()), launch.checks);
  LaunchState state;
  prepare(launch, program, state);
  const size_t workers = worker_count(launch, state.blocks);
  std::vector<std::vector<AllocationHit>> hits(workers);
  std::vector<std::unique_ptr<Scheduler>> schedulers(workers);
  BlockSource source(state, workers);
  LaunchClock clock(workers, launch.time_limit);
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&](size_t worker) {
    // Counted when it starts: the pool may have fewer threads, or be busy with another
    // launch, and who has not begun can neither hold a block nor end anybody's waiting.
    ++state.running;
    BlockSource::Chunk chunk;
    try {
      schedulers[worker]->run(
          [&](uint64_t& block) { return source.next(chunk, block); });
    } catch (...) {
      --state.running;
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
      state.note_fault(0);
    }
  };
  for (size_t i = 0; i < workers; ++i) {
    hits[i].resize(program.access_count);
    schedulers[i] = std::make_unique<Scheduler>(state, hits[i], clock, i);
  }
  if (workers == 1) {
    work(0);
  } else {
    base::shared_pool().run(workers, work);
  }
  if (failure) std::rethrow_exception(failure);

  Outcome outcome;
  for (const auto& scheduler : schedulers) {
    outcome.blocks += scheduler->blocks();
    outcome.warp_instructions += scheduler->warp_instructions();
    outcome.cancelled |= scheduler->cancelled();
  }
  outcome.findings = merge(state, schedulers);
  outcome.observed = observe(state, schedulers);
  outcome.footprint = schedulers[0]->take_footprint();
  return outcome;
}

}  // namespace

std::string too_many_blocks(const base::Dim3& grid) {
  return base::text(
      "got grid (", grid.x, ", ", grid.y, ", ", grid.z, ") = ", grid.count(),
      " blocks, which take the emulator minutes even if "
      "they are empty; need at most ",
      kMostBlocks, ". Let each thread do several elements, in a grid-stride loop.");
}

bool replays(const Code& code, uint32_t checks) {
  const Program& program = code.program(find_engine(active_isa()), checks);
  return program.functions[program.entry].replay != nullptr;
}

Outcome run(const Launch& launch) {
  try {
    return run_checked(launch);
  } catch (const std::exception& error) {
    // Out of host memory, or a function that could not be lowered: a finding as well.
    Outcome outcome;
    MtFinding finding{};
    finding.kind = MtFinding_DeviceFault;
    finding.severity = 2;
    finding.stopped = 1;
    finding.launch_tag = launch.tag;
    finding.parameter_index = -1;
    finding.count = 1;
    const std::string text = error.what();
    text.copy(finding.detail, sizeof finding.detail - 1);
    outcome.findings.push_back(finding);
    return outcome;
  }
}

}  // namespace minitorch::emulator

// A launch from its start to its outcome: spreading blocks over host threads, merging
// what they found.
#include <algorithm>
#include <exception>
#include <mutex>
#include <tuple>

#include "base/text.h"
#include "base/thread_pool.h"
#include "simt/observing/list.h"
#include "simt/program/engine.h"
#include "simt/run/scheduler.h"
#include "simt/warp/describe.h"

namespace minitorch::simt {
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

/// All findings that count: those of blocks up to the one that ended the launch.
std::vector<MtFinding> merge(const LaunchState& state,
                             const std::vector<std::unique_ptr<Scheduler>>& workers) {
  std::vector<MtFinding> findings;
  const FindingRecord* fault = nullptr;
  MergedNotes notes;
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
      const auto [at, fresh] = notes.all.try_emplace(key, entry.first, 0);
      at->second.second += count;
      if (!fresh && entry.first.site.block < at->second.first.site.block) {
        at->second.first = entry.first;
      }
    }
  }
  if (fault) findings.push_back(describe_finding(state, *fault, 1));
  revise(notes, state.launch->checks);
  for (const auto& [key, note] : notes.all) {
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

size_t worker_count(const Launch& launch, uint64_t blocks) {
  if (runs_in_order(launch.checks)) return 1;
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
    state.standstill.begin();
    BlockSource::Chunk chunk;
    try {
      schedulers[worker]->run(
          [&](uint64_t& block) { return source.next(chunk, block); });
    } catch (...) {
      state.standstill.end(false, 0);
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
  for (size_t i = 1; i < workers; ++i) {
    schedulers[0]->observers().add(schedulers[i]->observers());
  }
  schedulers[0]->observers().give(outcome);
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

}  // namespace minitorch::simt

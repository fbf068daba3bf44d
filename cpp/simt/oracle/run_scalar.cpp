// A launch on the scalar oracle: blocks one after the other, threads of a block in turn
// up to where each must wait.
#include <algorithm>

#include "simt/oracle/machine.h"
#include "simt/warp/describe.h"

namespace minitorch::simt {
namespace scalar {

namespace {

constexpr uint64_t kSlice = 4096;  // instructions of one thread in one turn

}  // namespace

Machine::Machine(const LaunchState& state, Notes& notes, uint64_t block)
    : state_(state),
      launch_(*state.launch),
      module_(*state.launch->module->module),
      table_(state.launch->memory->table()),
      notes_(notes),
      block_(block),
      threads_(state.threads),
      shared_(state.shared_bytes) {
  for (uint32_t i = 0; i < state.threads; ++i) threads_[i].index = i;
}

void Machine::run() {
  for (Thread& thread : threads_) enter(thread, launch_.function);
  for (;;) {
    bool ran = false;
    for (Thread& thread : threads_) {
      thread.asks = false;
      for (uint64_t i = 0; i < kSlice && thread.state == Thread::State::Running; ++i) {
        step(thread);
        ran = true;
        if (thread.asks) break;
      }
    }
    if (state_.cancelled()) return;
    const bool groups = release_groups(false), barriers = release_barriers();
    if (groups || barriers) vain_rounds_ = 0;
    if (ran && !groups && !barriers) watch_askers();
    if (ran || groups || barriers) continue;
    const bool finished =
        std::all_of(threads_.begin(), threads_.end(),
                    [](const Thread& t) { return t.state == Thread::State::Exited; });
    if (finished) return;
    if (!release_groups(true)) stalled();
  }
}

FindingRecord Machine::record(const Thread& thread, MtFindingKind kind) const {
  FindingRecord found;
  found.kind = kind;
  found.site.block = block_;
  found.site.thread = thread.index;
  if (thread.frames.empty()) return found;
  found.site.function = thread.frame().index;
  found.site.instruction = thread.frame().pc;
  for (size_t i = thread.frames.size() - 1; i-- > 0;) {
    found.site.callers.emplace_back(thread.frames[i].index, thread.frames[i].pc);
  }
  return found;
}

void Machine::fail(const Thread& thread, MtFindingKind kind,
                   const std::string& detail) const {
  FindingRecord found = record(thread, kind);
  found.detail = detail;
  found.stopped = true;
  throw Fault{found};
}

void Machine::note(const FindingRecord& found) {
  const NoteKey key = {found.kind, found.site.function, found.site.instruction};
  ++notes_.try_emplace(key, found, 0).first->second.second;
}

}  // namespace scalar

namespace {

// What describe_finding needs of a program: the module and the entry's parameters.
Program outline(const Launch& launch) {
  Program program;
  program.module = launch.module->module.get();
  program.entry = launch.function;
  program.functions.resize(program.module->functions.size());
  for (size_t i = 0; i < program.functions.size(); ++i) {
    program.functions[i].function = &program.module->functions[i];
  }
  return program;
}

void prepare_scalar(const Launch& launch, const Program& program, LaunchState& state) {
  state.launch = &launch;
  state.program = &program;
  state.table = launch.memory->table();
  state.blocks = launch.grid.count();
  state.threads = static_cast<uint32_t>(launch.block.count());
  state.place_shared();
}

}  // namespace

Outcome run_scalar(const Launch& launch) {
  const Program program = outline(launch);
  LaunchState state;
  prepare_scalar(launch, program, state);
  Outcome outcome;
  scalar::Notes notes;
  for (uint64_t block = 0; block < state.blocks && !state.cancelled(); ++block) {
    scalar::Machine machine(state, notes, block);
    try {
      machine.run();
    } catch (const scalar::Fault& fault) {
      outcome.findings.push_back(describe_finding(state, fault.record, 1));
    }
    ++outcome.blocks;
    outcome.warp_instructions += (machine.executed() + kLanes - 1) / kLanes;
    if (!outcome.findings.empty()) break;
  }
  outcome.cancelled = state.cancelled();
  const auto faults = static_cast<std::ptrdiff_t>(outcome.findings.size());
  for (const auto& [key, entry] : notes) {
    outcome.findings.push_back(describe_finding(state, entry.first, entry.second));
  }
  std::stable_sort(outcome.findings.begin() + faults, outcome.findings.end(),
                   [](const MtFinding& a, const MtFinding& b) {
                     return std::tie(a.site.position.line, a.kind) <
                            std::tie(b.site.position.line, b.kind);
                   });
  return outcome;
}

}  // namespace minitorch::simt

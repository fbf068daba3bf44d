// Owns the probes of observers that look at an access before it is made: copies of its
// operation with another handler. Must not know what they look for.
#include <algorithm>

#include "cuda_abi/inspect.h"
#include "ptx/matrix.h"
#include "simt/observing/list.h"
#include "simt/program/barrier_intervals.h"
#include "simt/program/op_builder.h"
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

/// The probes that stand before accesses, in this order, and whose they are.
struct ProbeRule {
  Probe probe;
  ObserverId observer;
};

constexpr ProbeRule kRules[] = {
#define PROBE(name, finder, observer)
#define ACCESS_PROBE(name, finder, observer) {Probe::name, ObserverId::observer},
#include "simt/observing/probes.inc"
#undef PROBE
};

/// Puts the probes for the access at `at` before it; gives where it is then. `lone`:
/// nothing can race with it.
size_t probe_access(const WarpProgram& program, std::vector<WarpOp>& ops, size_t at,
                    bool lone) {
  const WarpOp access = ops[at];
  const MemoryForm& form = program.code.accesses[access.access];
  size_t uninitialised = ops.size();  // the probe that may pass over the next one
  for (const ProbeRule& rule : kRules) {
    const bool races = rule.probe == Probe::Race;
    if (!(program.checks & checks_of(rule.observer)) || (races && access.delayed))
      continue;
    const Probe which = races && lone ? Probe::LoneLoad : rule.probe;
    if (!program.engine.probe(which, form).full) continue;
    if (races && uninitialised < ops.size()) ops[uninitialised].number = 1;
    WarpOp& probe = insert(ops, at, access);
    probe.kind = WarpOp::Kind::Probe;
    probe.probe = which;
    if (which == Probe::Uninitialised) uninitialised = at;
    ++at;
  }
  return at;
}

/// For the search for races: what a copy reads.
void note_source(WarpProgram& program, uint32_t i, size_t start) {
  const ptx::Instruction& instruction = program.instruction(i);
  std::vector<WarpOp> made;
  OpBuilder builder(program, i, made);
  MemoryForm form;
  const Value address = builder.address(instruction.source_address, form);
  const bool part = instruction.sources.size() > 1;
  Value bytes;
  bool ignores = false;
  if (part) {
    const ptx::Operand& last = instruction.sources[1];
    ignores = last.kind == ptx::Operand::Kind::Register &&
              builder.values.declared(last.index).type == ptx::Type::Pred;
    bytes = builder.source(last, ignores ? ptx::Type::Pred : ptx::Type::U32);
  }
  WarpOp& op = builder.control(Control::NoteSource);
  op.address = address;
  op.offset = instruction.source_address.offset;
  op.sources = {bytes};
  op.number = ignores;
  auto& ops = program.groups[i].ops;
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(start) + 1, made.begin(),
             made.end());
}

/// For the same search: whether a store changes what a copy still reads. Stores of
/// fragments are not looked at.
bool may_change_source(const WarpProgram& program, const WarpOp& op) {
  const MemoryForm& form = program.code.accesses[op.access];
  return !op.delayed && form.kind != MemoryForm::Kind::Load &&
         (form.space == ptx::Space::Global || form.space == ptx::Space::Generic);
}

void check_sources(std::vector<WarpOp>& ops, size_t at) {
  WarpOp check = ops[at];
  check.kind = WarpOp::Kind::Control;
  check.control = Control::CheckSources;
  check.results.clear();
  check.sources.clear();
  insert(ops, at, std::move(check));
}

/// By instruction: loads that share no barrier interval with a store
/// (barrier_intervals.h).
std::vector<bool> lone_loads_of(const WarpProgram& program) {
  const ptx::Function& function = program.function;
  const bool worth =
      function.entry && !function.uses_calls && (program.checks & kRaceChecks) != 0;
  return worth ? find_lone_loads(function)
               : std::vector<bool>(program.instruction_count() + 1, false);
}

}  // namespace

void observe_accesses(WarpProgram& program) {
  const bool observed =
      std::any_of(std::begin(kRules), std::end(kRules), [&](const ProbeRule& rule) {
        return (program.checks & checks_of(rule.observer)) != 0;
      });
  if (!observed) return;
  const std::vector<bool> lone = lone_loads_of(program);
  const auto& functions = program.module.module->functions;
  const bool races = (program.checks & kRaceChecks) != 0;
  const bool copies =
      races && std::any_of(functions.begin(), functions.end(),
                           [](const ptx::Function& each) { return each.uses_copies; });
  for (uint32_t i = 0; i < program.instruction_count(); ++i) {
    std::vector<WarpOp>& ops = program.groups[i].ops;
    for (size_t at = 0; at < ops.size(); ++at) {
      if (races && ops[at].is(Control::StartCopy)) note_source(program, i, at);
      if (ops[at].kind != WarpOp::Kind::Access) continue;
      const bool changes = copies && may_change_source(program, ops[at]) &&
                           !ptx::is_matrix(program.instruction(i).opcode.op);
      if (changes) check_sources(ops, at++);
      at = probe_access(program, ops, at, lone[i]);
    }
  }
}

}  // namespace minitorch::simt

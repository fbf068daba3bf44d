// The probes of observers that look at an access before it is made: copies of its
// operation with another handler.
#include <algorithm>
#include <optional>

#include "cuda_abi/inspect.h"
#include "ptx/matrix.h"
#include "simt/observing/list.h"
#include "simt/program/barrier_intervals.h"
#include "simt/program/op_builder.h"
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

/// `%p`, or `!%p`; without a value: always.
struct Condition {
  Value predicate;
  bool negated = false;
};

/// The predicate under which `instruction` passes on the value in `reg`; none: always.
std::optional<Operand> passed_on_when(const Instruction& instruction, uint32_t reg) {
  const auto& from = instruction.sources;
  const Op op = instruction.opcode.op;
  Operand predicate;
  if (op == Op::Selp && !is_register(from[2], reg)) {
    predicate = from[2];
    predicate.negated ^= is_register(from[1], reg);
  } else if ((op == Op::And || op == Op::Or) &&
             instruction.opcode.type == ptx::Type::Pred) {
    predicate = from[is_register(from[0], reg) ? 1 : 0];
    predicate.negated ^= op == Op::Or;
  }
  if (predicate.kind != Operand::Kind::Register) return {};
  return predicate;
}

/// Loads that NVRTC moved before the condition that the source asks first. Of
/// `x = p ? s[31] : 0` it makes a load in all threads and a `selp`; so the threads that
/// discard the value do not read it as far as races and unwritten values go.
class SpeculativeLoads {
 public:
  explicit SpeculativeLoads(WarpProgram& program)
      : program_(program),
        all_(program.function.instructions),
        reads_of_(count_reads(program.function)),
        starts_(block_starts(program.function)) {}

  /// When the value that instruction `load` reads is used.
  Condition used_when(uint32_t load) const;

 private:
  bool writes_between(uint32_t reg, uint32_t begin, uint32_t end) const;

  WarpProgram& program_;
  const std::vector<Instruction>& all_;
  const std::vector<uint32_t> reads_of_;
  const std::vector<bool> starts_;
};

bool SpeculativeLoads::writes_between(uint32_t reg, uint32_t begin,
                                      uint32_t end) const {
  return std::any_of(
      all_.begin() + begin, all_.begin() + end,
      [&](const Instruction& each) { return any_is_register(each.destinations, reg); });
}

Condition SpeculativeLoads::used_when(uint32_t load) const {
  const Instruction& from = all_[load];
  const bool plain = from.opcode.op == Op::Ld && from.guard == ptx::kNone &&
                     from.opcode.order == ptx::Order::Weak;
  if (!plain || from.destinations.size() != 1) return {};
  if (from.destinations[0].kind != Operand::Kind::Register) return {};
  uint32_t value = from.destinations[0].index;
  // The one reader of the value, the one reader of what that makes of it, and so on.
  for (uint32_t at = load + 1; at < all_.size() && !starts_[at]; ++at) {
    if (reads_of_[value] != 1) return {};
    const Instruction& next = all_[at];
    if (!any_is_register(next.sources, value)) continue;
    if (const auto predicate = passed_on_when(next, value)) {
      const bool known = !writes_between(predicate->index, load, at);
      if (!known || next.guard != ptx::kNone) return {};
      return {program_.values.of(predicate->index), predicate->negated};
    }
    const bool computes = ptx::facts(next.opcode.op).effect == ptx::Effect::None &&
                          next.guard == ptx::kNone && next.destinations.size() == 1 &&
                          next.destinations[0].kind == Operand::Kind::Register;
    if (!computes) return {};
    value = next.destinations[0].index;
  }
  return {};
}

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
/// nothing can race with it. `used`: in which lanes they look at it.
size_t probe_access(const WarpProgram& program, std::vector<WarpOp>& ops, size_t at,
                    bool lone, Condition used) {
  const WarpOp access = ops[at];
  const size_t first = at;
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
  if (!used.predicate || at == first) return at;
  WarpOp guard;
  guard.control = used.negated ? Control::GuardNegated : Control::Guard;
  guard.instruction = access.instruction;
  guard.sources = {used.predicate};
  insert(ops, first, guard);
  guard.control = Control::Unguard;
  guard.sources.clear();
  insert(ops, at + 1, guard);
  return at + 2;
}

/// For the search for races: what a copy reads.
void note_source(WarpProgram& program, uint32_t i, size_t start) {
  const ptx::Instruction& instruction = program.instruction(i);
  std::vector<WarpOp> made;
  OpBuilder builder(program, i, made);
  MemoryForm form;
  const AddressValue address = builder.address(instruction.source_address, form);
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
  op.address = address.base;
  op.offset = address.offset;
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
  const SpeculativeLoads speculative(program);
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
      at = probe_access(program, ops, at, lone[i], speculative.used_when(i));
    }
  }
}

}  // namespace minitorch::simt

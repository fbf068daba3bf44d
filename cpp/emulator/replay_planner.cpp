// Owns the walk along a kernel's only way: guards, accesses, and what their values come
// from. Must not know what instructions compute (replay_linear.cpp).
#include "emulator/replay_planner.h"

#include <algorithm>

namespace minitorch::emulator {

using ptx::Comparison;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;
using Class = Known::Class;

bool ReplayPlanner::writes_once() const {
  std::vector<bool> written(known_.size(), false);
  for (const Instruction& instruction : function_.instructions) {
    for (const Operand& to : instruction.destinations) {
      if (to.kind != Kind::Register) continue;
      if (written[to.index]) return false;
      written[to.index] = true;
    }
  }
  return true;
}

bool ReplayPlanner::run() {
  if (!function_.entry || !function_.maybe_undefined.empty() || !writes_once()) {
    return false;
  }
  for (uint32_t at = 0; !leaves(at);) {
    if (!step_to_next(at)) return false;
  }
  keep_needed();
  return !plan.accesses.empty();
}

bool ReplayPlanner::leaves(uint32_t at) const {
  if (at == function_.instructions.size()) return true;
  const Instruction& instruction = function_.instructions[at];
  const Op op = instruction.opcode.op;
  return (op == Op::Ret || op == Op::Exit) && instruction.guard == ptx::kNone;
}

bool ReplayPlanner::step_to_next(uint32_t& at) {
  const Instruction& instruction = function_.instructions[at];
  const Op op = instruction.opcode.op;
  if (op == Op::Bra) return branch(at);
  if (op == Op::Ret || op == Op::Exit) {
    return require(instruction.guard, instruction.guard_negated) && ++at;
  }
  if (instruction.guard != ptx::kNone) return false;
  const bool parameter = op == Op::Ld && instruction.opcode.space == ptx::Space::Param;
  if (parameter) {
    if (instruction.parameter_kind != Instruction::ParameterKind::Own) return false;
    for (const Operand& to : instruction.destinations) {
      if (to.kind == Kind::Register) known_[to.index] = {Class::Fixed, true};
    }
  } else if (op == Op::Ld || op == Op::St) {
    if (!access(instruction)) return false;
  } else if (op == Op::IndexCheck) {
    if (!require_indices(instruction)) return false;
  } else if (op != Op::Nop && op != Op::Prefetch) {
    compute(instruction);
  }
  for (const Operand& to : instruction.destinations) {
    if (to.kind == Kind::Register) known_[to.index].writer = at;
  }
  path.push_back(at++);
  return true;
}

bool ReplayPlanner::branch(uint32_t& at) {
  const Instruction& instruction = function_.instructions[at];
  const uint32_t target = instruction.target;
  if (target <= at) return false;
  if (instruction.guard == ptx::kNone) {
    at = target;
    return true;
  }
  if (leaves(target)) {
    ++at;
    return require(instruction.guard, instruction.guard_negated);
  }
  if (!leaves(at + 1)) return false;
  at = target;
  return require(instruction.guard, !instruction.guard_negated);
}

/// `predicate` must have this value in every lane.
bool ReplayPlanner::require(uint32_t predicate, bool value, uint32_t depth) {
  const uint32_t writer = known_[predicate].writer;
  if (writer == ptx::kNone || depth > 8) return false;
  const Instruction& test = function_.instructions[writer];
  const Op op = test.opcode.op;
  if (op == Op::Setp) return require_comparison(test, value);
  if (test.opcode.type != Type::Pred) return false;
  const bool both = (op == Op::Or && !value) || (op == Op::And && value);
  if (!both && op != Op::Not) return false;
  return std::all_of(
      test.sources.begin(), test.sources.end(), [&](const Operand& from) {
        const bool wanted = (op == Op::Not) != (value != from.negated);
        return from.kind == Kind::Register && require(from.index, wanted, depth + 1);
      });
}

bool ReplayPlanner::require_comparison(const Instruction& test, bool value) {
  const ptx::Opcode& opcode = test.opcode;
  if (test.destinations.size() != 1 || opcode.combine != ptx::Combine::None ||
      !is_number(opcode.type)) {
    return false;
  }
  ReplayPlan::Side sides[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const Operand& from = test.sources[i];
    const Known is = known(from);
    if (is.kind == Class::Other || !fits(from, opcode.type)) return false;
    sides[i] = {is.linear, row(from, opcode.type)};
  }
  bool swaps = false, equal = false;  // to left < right or left <= right
  switch (opcode.comparison) {
    case Comparison::Eq:
    case Comparison::Ne:
      if ((opcode.comparison == Comparison::Eq) == value) return false;
      plan.guards.push_back({ReplayPlan::Relation::Different, sides[0], sides[1]});
      break;
    case Comparison::Lo:
    case Comparison::Lt:
      break;
    case Comparison::Ls:
    case Comparison::Le:
      equal = true;
      break;
    case Comparison::Hi:
    case Comparison::Gt:
      swaps = true;
      break;
    case Comparison::Hs:
    case Comparison::Ge:
      swaps = equal = true;
      break;
    default:
      return false;
  }
  const Comparison unsigned_forms[] = {Comparison::Lo, Comparison::Ls, Comparison::Hi,
                                       Comparison::Hs};
  for (ReplayPlan::Side& side : sides) {
    for (Comparison form : unsigned_forms) {
      if (opcode.comparison == form) side.value.is_signed = false;
    }
    if (side.linear != ReplayPlan::kFixed) plan.unwrapped.push_back(side);
  }
  if (opcode.comparison == Comparison::Eq || opcode.comparison == Comparison::Ne) {
    return true;
  }
  if (!value) {  // the opposite: right <= left for left < right
    swaps = !swaps;
    equal = !equal;
  }
  plan.guards.push_back(
      {equal ? ReplayPlan::Relation::LessEqual : ReplayPlan::Relation::Less,
       sides[swaps], sides[!swaps]});
  return true;
}

/// The indices must be inside in every lane, else the block runs step by step.
bool ReplayPlanner::require_indices(const Instruction& check) {
  const auto& from = check.sources;
  for (size_t at = 0; at < from.size(); at += ptx::kIndexSources) {
    ReplayPlan::Side sides[2];
    for (uint32_t i = 0; i < 2; ++i) {
      const Operand& each = from[at + (i == 0 ? ptx::kIndexValue : ptx::kIndexExtent)];
      const Known is = known(each);
      if (is.kind == Class::Other || !fits(each, Type::U64)) return false;
      sides[i] = {is.linear, row(each, Type::U64)};
      sides[i].value.is_signed = false;
      if (is.linear != ReplayPlan::kFixed) plan.unwrapped.push_back(sides[i]);
    }
    plan.guards.push_back({ReplayPlan::Relation::Less, sides[0], sides[1]});
  }
  return true;
}

bool ReplayPlanner::access(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const Operand& base = instruction.address.base;
  if (opcode.space != ptx::Space::Global || opcode.order != ptx::Order::Weak) {
    return false;
  }
  const Known is = known(base);
  if (is.kind == Class::Other || !fits(base, Type::U64)) return false;
  ReplayPlan::Access access{};
  access.linear = is.linear;
  access.offset = instruction.address.offset;
  access.size = ptx::size_of(opcode.type) * opcode.vector;
  access.store = opcode.op == Op::St;
  plan.accesses.push_back(access);
  for (const Operand& to : instruction.destinations) {
    if (to.kind == Kind::Register) known_[to.index] = Known{};
  }
  return true;
}

/// Leaves in `path` the accesses and what their values come from.
void ReplayPlanner::keep_needed() {
  std::vector<bool> needed(known_.size(), false);
  std::vector<uint32_t> kept;
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    const Instruction& instruction = function_.instructions[*at];
    const Op op = instruction.opcode.op;
    bool runs = op == Op::St ||
                (op == Op::Ld && instruction.opcode.space == ptx::Space::Global);
    for (const Operand& to : instruction.destinations) {
      if (to.kind != Kind::Register || !needed[to.index]) continue;
      runs |= known_[to.index].kind != Class::Fixed;
    }
    if (!runs) continue;
    kept.push_back(*at);
    for (const Operand& from : instruction.sources) {
      const Known is = known(from);
      const bool by_sm =
          from.kind == Kind::Special && from.special == ptx::Special::SmId;
      plan.needs_block |= is.kind == Class::Linear || by_sm;
      plan.needs_warp |= is.kind == Class::Fixed && !is.uniform;
      if (from.kind == Kind::Register) needed[from.index] = true;
    }
  }
  path.assign(kept.rbegin(), kept.rend());
}

}  // namespace minitorch::emulator

// The search for kernels whose blocks follow from their first (replay_plan.h): the one
// way through the kernel, which registers are linear in the block's coordinates and by
// which factors, and what is then left to do.
#include <algorithm>
#include <memory>

#include "simt/program/passes.h"
#include "simt/program/replay_plan.h"

namespace minitorch::simt {
namespace {

using ptx::Comparison;
using ptx::Instruction;
using ptx::Linear;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

/// What is known of a register. Fixed: the same in every block.
struct Known {
  enum class Class : uint8_t { Fixed, Linear, Other };
  Class kind = Class::Other;
  bool uniform = false;  // the same in all threads
  uint32_t linear = ReplayPlan::kFixed;
  uint32_t writer = ptx::kNone;
};

using Class = Known::Class;

/// Integers of 32 or 64 bits.
bool is_number(Type type) {
  switch (type) {
    case Type::B32:
    case Type::U32:
    case Type::S32:
    case Type::B64:
    case Type::U64:
    case Type::S64:
      return true;
    default:
      return false;
  }
}

/// Follows the one way through a kernel.
class ReplayPlanner {
 public:
  ReplayPlanner(const ptx::Function& function, Values& values);

  /// False when blocks cannot be replayed. `path` are then the instructions to run.
  bool run();

  ReplayPlan plan;
  std::vector<uint32_t> path;

 private:
  bool writes_once() const;
  bool step_to_next(uint32_t& at);
  bool branch(uint32_t& at);
  bool leaves(uint32_t at) const;
  bool require(uint32_t predicate, bool value, uint32_t depth = 0);
  bool require_comparison(const ptx::Instruction& test, bool value);
  bool require_indices(const ptx::Instruction& check);
  bool access(const ptx::Instruction& instruction);
  void compute(const ptx::Instruction& instruction);
  bool find_terms(const ptx::Instruction& instruction,
                  std::vector<ReplayPlan::Term>& terms);
  bool multiply(const ptx::Instruction& instruction,
                std::vector<ReplayPlan::Term>& terms);
  bool add_term(const ptx::Operand& operand, ptx::Type type,
                std::vector<ReplayPlan::Term>& terms, bool negative = false);
  bool scale(const ptx::Operand& operand, const ptx::Operand& factor, ptx::Type type,
             ptx::Type factor_type, bool power, std::vector<ReplayPlan::Term>& terms);
  void keep_needed();

  Known known(const ptx::Operand& operand) const;
  /// The operand read as `type` lies in a row of that width.
  bool fits(const ptx::Operand& operand, ptx::Type type) const;
  RowNumber row(const ptx::Operand& operand, ptx::Type type);

  const ptx::Function& function_;
  Values& values_;
  std::vector<Known> known_;  // by register
};

/// The row is the number of the value until emit_steps lays out rows.
RowNumber number_in(Value value, Type type) {
  return {value.id, static_cast<uint8_t>(ptx::size_of(type)), ptx::is_signed(type)};
}

Known special_known(ptx::Special special) {
  using ptx::Special;
  if (special >= Special::CtaidX && special <= Special::CtaidZ) {
    return {Class::Linear, true,
            static_cast<uint32_t>(special) - static_cast<uint32_t>(Special::CtaidX)};
  }
  if (special == Special::SmId) return {};
  if (special >= Special::Clock && special <= Special::GlobalTimerHi) return {};
  const bool by_thread =
      (special >= Special::TidX && special <= Special::TidZ) ||
      special == Special::LaneId || special == Special::WarpId ||
      (special >= Special::LaneMaskEq && special <= Special::LaneMaskGt);
  return {Class::Fixed, !by_thread};
}

ReplayPlanner::ReplayPlanner(const ptx::Function& function, Values& values)
    : function_(function), values_(values), known_(function.registers.size()) {
  for (uint32_t i = 0; i < 3; ++i) {
    Operand operand;
    operand.kind = Kind::Special;
    operand.special =
        static_cast<ptx::Special>(static_cast<uint32_t>(ptx::Special::CtaidX) + i);
    plan.linears.push_back({number_in(values_.constant(operand, 4), Type::U32), {}});
  }
}

RowNumber ReplayPlanner::row(const Operand& operand, Type type) {
  return number_in(operand.kind == Kind::Register
                       ? values_.of(operand.index)
                       : values_.constant(operand, ptx::size_of(type)),
                   type);
}

void ReplayPlanner::compute(const Instruction& instruction) {
  Known result = {Class::Fixed, true};
  for (const Operand& from : instruction.sources) {
    const Known is = known(from);
    result.kind = std::max(result.kind, is.kind);
    result.uniform &= is.uniform;
  }
  if (result.kind == Class::Linear) {
    std::vector<ReplayPlan::Term> terms;
    if (find_terms(instruction, terms)) {
      const Type type = instruction.opcode.part == ptx::Part::Wide
                            ? Type::U64
                            : instruction.opcode.type;
      result.linear = static_cast<uint32_t>(plan.linears.size());
      plan.linears.push_back(
          {number_in(values_.of(instruction.destinations[0].index), type), terms});
    } else {
      result.kind = Class::Other;
    }
  }
  for (const Operand& to : instruction.destinations) {
    if (to.kind == Kind::Register) known_[to.index] = result;
  }
}

bool ReplayPlanner::find_terms(const Instruction& instruction,
                               std::vector<ReplayPlan::Term>& terms) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& from = instruction.sources;
  const Type type = opcode.type;
  const Type wide = opcode.part == ptx::Part::Wide ? Type::U64 : type;
  if (instruction.destinations.size() != 1 || !is_number(type) || opcode.sat ||
      opcode.carry_in || opcode.carry_out || !fits(instruction.destinations[0], wide)) {
    return false;
  }
  if (opcode.op == Op::Cvta) {
    return opcode.space == ptx::Space::Global && add_term(from[0], type, terms);
  }
  switch (ptx::facts(opcode.op).linear) {
    case Linear::No:
      return false;
    case Linear::Copy:
      return add_term(from[0], type, terms);
    case Linear::Sum:
      return add_term(from[0], type, terms) && add_term(from[1], type, terms);
    case Linear::Difference:
      return add_term(from[0], type, terms) && add_term(from[1], type, terms, true);
    case Linear::Product:
      return multiply(instruction, terms);
    case Linear::ProductSum:
      return multiply(instruction, terms) && add_term(from[2], wide, terms);
    case Linear::Shift:
      return scale(from[0], from[1], type, Type::U32, true, terms);
    case Linear::Convert: {
      if (!is_number(opcode.source_type)) return false;
      if (!add_term(from[0], opcode.source_type, terms)) return false;
      if (ptx::size_of(type) > ptx::size_of(opcode.source_type)) {
        plan.unwrapped.push_back({terms[0].linear, row(from[0], opcode.source_type)});
      }
      return true;
    }
  }
  return false;
}

bool ReplayPlanner::multiply(const Instruction& instruction,
                             std::vector<ReplayPlan::Term>& terms) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& from = instruction.sources;
  const bool wide = opcode.part == ptx::Part::Wide;
  if (!wide && opcode.part != ptx::Part::Low) return false;
  const bool first = known(from[0]).kind == Class::Linear;
  const Operand& linear = from[first ? 0 : 1];
  const Operand& factor = from[first ? 1 : 0];
  if (known(linear).kind == Class::Fixed) {
    return fits(from[0], opcode.type) && fits(from[1], opcode.type);
  }
  if (wide) plan.unwrapped.push_back({known(linear).linear, row(linear, opcode.type)});
  return scale(linear, factor, opcode.type, opcode.type, false, terms);
}

bool ReplayPlanner::add_term(const Operand& operand, Type type,
                             std::vector<ReplayPlan::Term>& terms, bool negative) {
  const Known is = known(operand);
  if (is.kind == Class::Other || !fits(operand, type)) return false;
  if (is.kind == Class::Linear)
    terms.push_back({is.linear, negative, false, false, {}});
  return true;
}

bool ReplayPlanner::scale(const Operand& operand, const Operand& factor, Type type,
                          Type factor_type, bool power,
                          std::vector<ReplayPlan::Term>& terms) {
  const Known is = known(operand), by = known(factor);
  if (is.kind != Class::Linear || by.kind != Class::Fixed || !by.uniform) return false;
  if (!fits(operand, type) || !fits(factor, factor_type)) return false;
  terms.push_back({is.linear, false, true, power, row(factor, factor_type)});
  return true;
}

Known ReplayPlanner::known(const Operand& operand) const {
  if (operand.kind == Kind::Register) return known_[operand.index];
  if (operand.kind == Kind::Special) return special_known(operand.special);
  return {Class::Fixed, true};
}

bool ReplayPlanner::fits(const Operand& operand, Type type) const {
  return operand.kind != Kind::Register ||
         values_.lane_bytes(operand.index) == ptx::size_of(type);
}

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
  return ptx::facts(instruction.opcode.op).effect == ptx::Effect::Leave &&
         instruction.guard == ptx::kNone;
}

bool ReplayPlanner::step_to_next(uint32_t& at) {
  const Instruction& instruction = function_.instructions[at];
  const Op op = instruction.opcode.op;
  if (op == Op::Bra) return branch(at);
  if (ptx::facts(op).effect == ptx::Effect::Leave) {
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

bool is_arithmetic(const Instruction& instruction, Isa isa) {
  const ptx::Opcode& opcode = instruction.opcode;
  const ptx::OpcodeFacts& facts = ptx::facts(opcode.op);
  if (facts.replay != ptx::Replay::Lane) return facts.replay == ptx::Replay::Plain;
  const bool by_zero =
      facts.effect == ptx::Effect::Divide && !ptx::is_float(opcode.type);
  return !by_zero && !opcode.carry_in && !opcode.carry_out &&
         find_arithmetic(opcode, isa).full != nullptr;
}

}  // namespace

void plan_replay(WarpProgram& program) {
  const ptx::Function& function = program.function;
  const bool observed = program.follows_poison || (program.checks & MtCheck_Trace);
  if (!function.entry || observed || function.uses_calls) return;
  const auto& all = function.instructions;
  const bool straight = std::all_of(all.begin(), all.end(), [&](const auto& each) {
    return is_arithmetic(each, program.engine.isa);
  });
  if (!straight) return;
  ReplayPlanner planner(function, program.values);
  if (!planner.run()) return;
  for (uint32_t at : planner.path) {
    if (program.groups[at].needless) continue;
    for (WarpOp& op : program.groups[at].ops) {
      // Replayed instructions have no guards of their own; a guard is that of probes.
      const bool guards = op.is(Control::Guard) || op.is(Control::GuardNegated) ||
                          op.is(Control::Unguard);
      op.replayed = !is_access_probe(op) && !op.is(Control::Join) && !guards;
    }
  }
  program.replay = std::make_shared<ReplayPlan>(std::move(planner.plan));
}

}  // namespace minitorch::simt

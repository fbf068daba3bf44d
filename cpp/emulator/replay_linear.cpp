// Owns which registers are linear in the block's coordinates, and by which factors.
// Must not know in which order instructions run.
#include <algorithm>

#include "emulator/replay_planner.h"

namespace minitorch::emulator {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;
using Class = Known::Class;

namespace {

RowNumber number_in(uint32_t row, Type type) {
  return {row, static_cast<uint8_t>(ptx::size_of(type)), ptx::is_signed(type)};
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

}  // namespace

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

ReplayPlanner::ReplayPlanner(const ptx::Function& function, RegisterFile& registers)
    : function_(function), registers_(registers), known_(function.registers.size()) {
  for (uint32_t i = 0; i < 3; ++i) {
    Operand operand;
    operand.kind = Kind::Special;
    operand.special =
        static_cast<ptx::Special>(static_cast<uint32_t>(ptx::Special::CtaidX) + i);
    plan.linears.push_back({number_in(registers_.constant(operand, 4), Type::U32), {}});
  }
}

RowNumber ReplayPlanner::row(const Operand& operand, Type type) {
  return number_in(operand.kind == Kind::Register
                       ? registers_.row(operand.index)
                       : registers_.constant(operand, ptx::size_of(type)),
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
          {number_in(registers_.row(instruction.destinations[0].index), type), terms});
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
  switch (opcode.op) {
    case Op::Mov:
      return add_term(from[0], type, terms);
    case Op::Cvta:
      return opcode.space == ptx::Space::Global && add_term(from[0], type, terms);
    case Op::Add:
      return add_term(from[0], type, terms) && add_term(from[1], type, terms);
    case Op::Sub:
      return add_term(from[0], type, terms) && add_term(from[1], type, terms, true);
    case Op::Mul:
      return multiply(instruction, terms);
    case Op::Mad:
      return multiply(instruction, terms) && add_term(from[2], wide, terms);
    case Op::Shl:
      return scale(from[0], from[1], type, Type::U32, true, terms);
    case Op::Cvt: {
      if (!is_number(opcode.source_type)) return false;
      if (!add_term(from[0], opcode.source_type, terms)) return false;
      if (ptx::size_of(type) > ptx::size_of(opcode.source_type)) {
        plan.unwrapped.push_back({terms[0].linear, row(from[0], opcode.source_type)});
      }
      return true;
    }
    default:
      return false;
  }
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
         registers_.lane_bytes(operand.index) == ptx::size_of(type);
}

}  // namespace minitorch::emulator

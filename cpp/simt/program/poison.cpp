#include "simt/program/poison.h"

#include <algorithm>

#include "simt/program/divisions.h"

namespace minitorch::simt {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Op;
using ptx::Space;

bool may_be_local(const ptx::Instruction& instruction) {
  const Space space = instruction.opcode.space;
  return space == Space::Local || space == Space::Generic;
}

bool loads_local(const ptx::Instruction& instruction) {
  return instruction.opcode.op == Op::Ld && may_be_local(instruction);
}

bool has_poison_of_its_own(const ptx::Function& function) {
  return !function.maybe_undefined.empty() ||
         std::any_of(function.instructions.begin(), function.instructions.end(),
                     loads_local);
}

}  // namespace

bool reads_local_memory(const ptx::Module& module,
                        const std::vector<const ptx::Function*>& functions) {
  bool has_variables = false, has_poison = false;
  for (const ptx::Function* function : functions) {
    for (uint32_t index : function->own_variables) {
      has_variables |= module.variables[index].space == Space::Local;
    }
    has_poison |= has_poison_of_its_own(*function);
  }
  return has_variables && has_poison;
}

bool carries_poison(const ptx::Instruction& instruction) {
  return !instruction.destinations.empty() &&
         ptx::facts(instruction.opcode.op).definedness != ptx::Definedness::Defined;
}

uint32_t moved_sources(const ptx::Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  switch (ptx::facts(opcode.op).definedness) {
    case ptx::Definedness::Moved: {
      const bool computes =
          opcode.op == Op::Cvt && (opcode.sat || ptx::is_float(opcode.type) ||
                                   ptx::is_float(opcode.source_type));
      return computes ? 0 : 1u;
    }
    case ptx::Definedness::TwoMoved:
      return 3u;
    case ptx::Definedness::AllMoved:
      return 0xfu;
    case ptx::Definedness::Defined:
    case ptx::Definedness::Any:
    case ptx::Definedness::Upward:
    case ptx::Definedness::Bits:
    case ptx::Definedness::And:
    case ptx::Definedness::Or:
    case ptx::Definedness::Select:
    case ptx::Definedness::Shuffled:
      return 0;
  }
  return 0;
}

bool gives_away(ptx::Op op) {
  const ptx::OpcodeFacts& facts = ptx::facts(op);
  return facts.use != ptx::Use::Nothing ||
         (facts.effect != ptx::Effect::None && facts.effect != ptx::Effect::Divide);
}

bool adds_up(const ptx::Opcode& opcode) {
  const bool kind = ptx::facts(opcode.op).definedness == ptx::Definedness::Upward;
  const bool low = opcode.part == ptx::Part::None || opcode.part == ptx::Part::Low;
  return kind && low && !ptx::is_float(opcode.type) && !opcode.sat;
}

PoisonMap find_poison(const ptx::Function& function, bool unwritten,
                      bool tracks_local) {
  PoisonMap map;
  map.tracks_local = tracks_local;
  map.divisions = find_followed_divisions(function);
  map.origins.assign(function.registers.size(), 0);
  for (uint32_t reg : function.maybe_undefined) {
    if (unwritten) map.origins[reg] = kFromRegister;
  }
  map.only_divisions =
      !unwritten || (function.maybe_undefined.empty() && !tracks_local);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Instruction& instruction = function.instructions[i];
      uint8_t origins = map.divisions[i] ? kFromDivision : 0;
      if (tracks_local && loads_local(instruction)) origins = kFromLocal;
      const bool shuffles =
          ptx::facts(instruction.opcode.op).definedness == ptx::Definedness::Shuffled;
      if (carries_poison(instruction)) {
        for (const ptx::Operand& from : instruction.sources) origins |= map.of(from);
      }
      // A quotient that is given to other lanes is used.
      if (shuffles) origins = unwritten ? (origins & ~kFromDivision) | kFromShuffle : 0;
      if (origins == 0) continue;
      map.only_divisions &= origins == kFromDivision;
      for (const ptx::Operand& to : instruction.destinations) {
        if (to.kind != Kind::Register) continue;
        uint8_t& known = map.origins[to.index];
        changed |= (known | origins) != known;
        known |= origins;
        if (shuffles) break;  // its predicate is always defined
      }
    }
  }
  return map;
}

namespace {

using Set = std::vector<bool>;  // of registers

bool in(const Set& set, const ptx::Operand& operand) {
  return operand.kind == Kind::Register && set[operand.index];
}

bool any_in(const Set& set, const std::vector<ptx::Operand>& operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const ptx::Operand& each) { return in(set, each); });
}

bool add_all(Set& set, const std::vector<ptx::Operand>& operands) {
  bool changed = false;
  for (const ptx::Operand& each : operands) {
    if (each.kind != Kind::Register || set[each.index]) continue;
    set[each.index] = changed = true;
  }
  return changed;
}

/// Registers that hold what nobody wrote, or copies of it.
Set copies_of_nothing(const ptx::Function& function) {
  Set found(function.registers.size(), false);
  for (uint32_t reg : function.maybe_undefined) found[reg] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      const bool copies = instruction.opcode.op == Op::Mov;
      if (copies && any_in(found, instruction.sources)) {
        changed |= add_all(found, instruction.destinations);
      }
    }
  }
  return found;
}

/// Registers from whose values those of `used` are computed, themselves included.
Set ancestors(const ptx::Function& function, const std::vector<ptx::Operand>& used) {
  Set found(function.registers.size(), false);
  add_all(found, used);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      if (carries_poison(instruction) && any_in(found, instruction.destinations)) {
        changed |= add_all(found, instruction.sources);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<uint32_t> divisions_before(const ptx::Function& function,
                                       const std::vector<ptx::Operand>& used) {
  const Set before = ancestors(function, used);
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& each = function.instructions[i];
    const bool divides = ptx::facts(each.opcode.op).effect == ptx::Effect::Divide;
    if (divides && any_in(before, each.destinations)) found.push_back(i);
  }
  return found;
}

uint32_t first_reader(const ptx::Function& function,
                      const std::vector<ptx::Operand>& used) {
  const Set nothing = copies_of_nothing(function), before = ancestors(function, used);
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (carries_poison(instruction) && instruction.opcode.op != Op::Mov &&
        any_in(before, instruction.destinations) &&
        any_in(nothing, instruction.sources)) {
      return i;
    }
  }
  return ptx::kNone;
}

}  // namespace minitorch::simt

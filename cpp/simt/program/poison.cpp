// Owns the flow of poison from register to register, whatever the order of
// instructions. Must not know steps.
#include "simt/program/poison.h"

#include <algorithm>

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

PoisonMap find_poison(const ptx::Function& function, bool tracks_local) {
  PoisonMap map;
  map.tracks_local = tracks_local;
  map.origins.assign(function.registers.size(), 0);
  for (uint32_t reg : function.maybe_undefined) map.origins[reg] = kFromRegister;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      uint8_t origins = 0;
      if (tracks_local && loads_local(instruction)) origins = kFromLocal;
      const bool shuffles =
          ptx::facts(instruction.opcode.op).definedness == ptx::Definedness::Shuffled;
      if (shuffles) origins = kFromShuffle;
      if (carries_poison(instruction)) {
        for (const ptx::Operand& from : instruction.sources) origins |= map.of(from);
      }
      if (origins == 0) continue;
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

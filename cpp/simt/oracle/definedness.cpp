// What becomes of the result of a division by zero in the scalar oracle: bit by bit,
// from register to register, until something uses it.
#include <algorithm>

#include "simt/oracle/machine.h"
#include "simt/program/poison.h"

namespace minitorch::simt::scalar {

using ptx::Definedness;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

Undefined Machine::undefined(const Thread& thread, const Operand& operand) {
  if (operand.kind != Operand::Kind::Register) return {};
  return thread.frame().undefined[operand.index];
}

void Machine::use(Thread& thread, const Operand& operand) {
  const Undefined known = undefined(thread, operand);
  if (known.bits == 0) return;
  for (const uint32_t division : known.divisions) {
    FindingRecord found = record(thread, MtFinding_DivByZero);
    found.site.instruction = division;
    found.detail = thread.frame().function->instructions[division].opcode.text;
    note(found);
  }
  thread.frame().undefined[operand.index] = {};
}

void Machine::use_operands(Thread& thread, const Instruction& instruction) {
  use(thread, instruction.address.base);
  use(thread, instruction.source_address.base);
  if (!gives_away(instruction.opcode.op)) return;
  for (const Operand& source : instruction.sources) use(thread, source);
}

/// Of result `k`.
uint64_t Machine::undefined_bits(const Thread& thread, const Instruction& instruction,
                                 const Operands& operands, size_t k) {
  const auto& from = instruction.sources;
  const ptx::Opcode& opcode = instruction.opcode;
  const uint32_t moved = moved_sources(instruction);
  const Definedness kind = ptx::facts(opcode.op).definedness;
  uint64_t bits[5] = {}, united = 0;
  bool steers = false;
  for (size_t i = 0; i < operands.count; ++i) {
    bits[i] = undefined(thread, from[i]).bits;
    united |= bits[i];
    steers |= bits[i] != 0 && (moved >> i & 1) == 0;
  }
  const uint64_t all = united != 0 ? ~uint64_t{0} : 0;
  const bool same = from.size() == 2 && from[0].kind == Operand::Kind::Register &&
                    from[1].kind == Operand::Kind::Register &&
                    from[0].index == from[1].index;
  if (united == 0 || (same && (opcode.op == Op::Xor || opcode.op == Op::Sub))) return 0;
  switch (kind) {
    case Definedness::Defined:
    case Definedness::Shuffled:
      return 0;
    case Definedness::Upward:
      return adds_up(opcode) ? united | (0 - united) : all;
    case Definedness::Bits:
      return united;
    case Definedness::And:
    case Definedness::Or: {
      const bool conjunction = kind == Definedness::And;
      const uint64_t left = conjunction ? operands.of[0] : ~operands.of[0];
      const uint64_t right = conjunction ? operands.of[1] : ~operands.of[1];
      return (bits[0] & bits[1]) | (bits[0] & right) | (bits[1] & left);
    }
    case Definedness::Select:
      if (bits[2] != 0) return ~uint64_t{0};
      return operands.of[2] & 1 ? bits[0] : bits[1];
    case Definedness::Moved:
    case Definedness::TwoMoved:
    case Definedness::AllMoved: {
      if (steers || moved == 0) return all;
      Operands shadows = operands;
      for (size_t i = 0; i < operands.count; ++i) {
        if (moved >> i & 1) shadows.of[i] = bits[i];
      }
      return evaluate(opcode, shadows).of[k];
    }
    case Definedness::Any:
      return all;
  }
  return all;
}

std::vector<Undefined> Machine::undefined_results(const Thread& thread,
                                                  const Instruction& instruction,
                                                  const Operands& operands,
                                                  bool divided) {
  std::vector<Undefined> made(instruction.destinations.size());
  for (size_t k = 0; k < made.size(); ++k) {
    if (instruction.destinations[k].kind != Operand::Kind::Register) continue;
    const auto& registers = thread.frame().function->registers;
    const uint64_t width =
        width_mask(registers[instruction.destinations[k].index].type);
    made[k].bits = undefined_bits(thread, instruction, operands, k) & width;
    for (const Operand& source : instruction.sources) {
      Undefined known = undefined(thread, source);
      if (known.bits != 0 && made[k].bits != 0)
        made[k].divisions.merge(known.divisions);
    }
    if (divided) made[k] = {width, {thread.frame().pc}};
  }
  return made;
}

}  // namespace minitorch::simt::scalar

// Which registers are nothing but a constant, a parameter or a special register, so
// that the instructions that set them have nothing to do.
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;

bool is_dynamic(ptx::Special special) {
  return special >= ptx::Special::Clock && special <= ptx::Special::GlobalTimerHi;
}

/// How often each register is written.
std::vector<uint32_t> count_writes(const ptx::Function& function) {
  std::vector<uint32_t> writes(function.registers.size(), 0);
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& to : instruction.destinations) {
      if (to.kind == Kind::Register) ++writes[to.index];
    }
  }
  // A register that may be read before its only write has two values.
  for (uint32_t reg : function.maybe_undefined) writes[reg] = 2;
  return writes;
}

bool only_moves(const ptx::Function& function, const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const bool plain_cvta =
      opcode.op == Op::Cvta &&
      (opcode.space == ptx::Space::Global || opcode.space == ptx::Space::Const);
  const bool parameter = opcode.op == Op::Ld && function.entry && opcode.vector == 1 &&
                         instruction.parameter_kind == Instruction::ParameterKind::Own;
  return (opcode.op == Op::Mov || plain_cvta || parameter) &&
         instruction.guard == ptx::kNone;
}

/// What the register of the instruction always is; none if that cannot be said.
Value constant_of(Values& values, const std::vector<bool>& aliased,
                  const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const uint32_t reg = instruction.destinations[0].index;
  const uint32_t bytes = values.lane_bytes(reg);
  if (bytes == 0 || bytes != row_bytes(opcode.type)) return {};
  if (opcode.op == Op::Ld) {
    const bool narrow_signed =
        ptx::is_signed(opcode.type) &&
        ptx::size_of(opcode.type) < ptx::size_of(values.declared(reg).type);
    if (narrow_signed) return {};
    const uint32_t offset = instruction.parameter_offset +
                            static_cast<uint32_t>(instruction.address.offset);
    return values.parameter(offset, ptx::size_of(opcode.type), bytes);
  }
  const Operand& from = instruction.sources[0];
  if (from.kind == Kind::Register) {
    const bool same = aliased[from.index] && values.lane_bytes(from.index) == bytes;
    return same ? values.of(from.index) : Value{};
  }
  if (from.kind == Kind::Special && is_dynamic(from.special)) return {};
  return values.constant(from, bytes);
}

}  // namespace

void find_aliases(WarpProgram& program) {
  const ptx::Function& function = program.function;
  const std::vector<uint32_t> writes = count_writes(function);
  std::vector<bool> aliased(function.registers.size(), false);
  for (uint32_t i = 0; i < program.instruction_count(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (!only_moves(function, instruction)) continue;
    const Operand& to = instruction.destinations[0];
    if (to.kind != Kind::Register || writes[to.index] != 1) continue;
    const Value constant = constant_of(program.values, aliased, instruction);
    if (!constant) continue;
    program.values.alias(to.index, constant);
    aliased[to.index] = program.groups[i].needless = true;
  }
}

}  // namespace minitorch::simt

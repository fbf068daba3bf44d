// Owns the lowering of instructions that are a few steps of lane arithmetic one after
// the other. Must not know how those steps compute.
#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Type;

namespace {

/// What set gives where the comparison holds; of a pair: in one half.
uint32_t true_value(const ptx::Opcode& opcode) {
  switch (opcode.type) {
    case Type::F32:
      return 0x3f800000;
    case Type::F16:
    case Type::F16x2:
      return 0x3c00;
    case Type::BF16:
    case Type::BF16x2:
      return 0x3f80;
    default:
      break;
  }
  const bool pair =
      opcode.source_type == Type::F16x2 || opcode.source_type == Type::BF16x2;
  return pair || ptx::size_of(opcode.type) == 2 ? 0xffff : 0xffffffff;
}

}  // namespace

// lop3.BOOL: the word, then a comparison of it with 0.
void Lowering::lower_lop3_test(const Instruction& instruction) {
  Instruction plain = instruction;
  plain.opcode.combine = ptx::Combine::None;
  plain.destinations.resize(1);
  plain.sources.resize(4);
  const uint32_t with = source(instruction.sources[4], Type::Pred);
  lower_arithmetic(plain);
  ptx::Opcode test = opcode_of(Op::Setp, Type::U32);
  test.comparison = ptx::Comparison::Ne;
  test.combine = instruction.opcode.combine;
  emit_arithmetic(test, result(instruction.destinations[1], Type::Pred),
                  result(instruction.destinations[0], Type::B32),
                  registers_.value(0, 4));
  code_.steps.back().c = with;
}

// set: the comparison, then what it chooses, for pairs in each half.
void Lowering::lower_set(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& from = instruction.sources;
  const bool pair =
      opcode.source_type == Type::F16x2 || opcode.source_type == Type::BF16x2;
  ptx::Opcode test = opcode;
  test.op = Op::Setp;
  test.type = opcode.source_type;
  const uint32_t a = source(from[0], opcode.source_type);
  const uint32_t b = source(from[1], opcode.source_type);
  const uint32_t with = from.size() > 2 ? source(from[2], Type::Pred) : 0;
  const uint32_t holds[] = {registers_.scratch(scratch_used_++, 0),
                            registers_.scratch(scratch_used_++, 0)};
  if (!emit_arithmetic(test, holds[0], a, b)) return;
  code_.steps.back().c = with;
  code_.steps.back().d2 = holds[1];
  const uint32_t value = true_value(opcode), zero = registers_.value(0, 4);
  const Operand& to = instruction.destinations[0];
  const ptx::Opcode choice = opcode_of(Op::Selp, Type::B32);
  emit_arithmetic(choice, result(to, opcode.type), registers_.value(value, 4), zero);
  code_.steps.back().c = holds[0];
  if (pair) {
    const uint32_t high = registers_.scratch(scratch_used_++, 4);
    emit_arithmetic(choice, high, registers_.value(value << 16, 4), zero);
    code_.steps.back().c = holds[1];
    emit_arithmetic(opcode_of(Op::Or, Type::B32), result(to, opcode.type),
                    result(to, opcode.type), high);
  }
  finish_result(to, opcode.type);
}

}  // namespace minitorch::emulator

// Owns the lowering of lane arithmetic: operand types by the opcode's signature. Must
// not know what an instruction computes.
#include "emulator/lowering.h"
#include "emulator/memory.h"
#include "ptx/opcode_table.h"

namespace minitorch::emulator {
namespace {

using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

Type twice(Type type) {
  switch (type) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    case Type::S32:
      return Type::S64;
    default:
      return type;
  }
}

Type part_of(const ptx::Opcode& opcode) {
  const uint32_t bytes = ptx::size_of(opcode.type) / opcode.vector;
  return bytes == 4 ? Type::B32 : bytes == 2 ? Type::B16 : Type::B8;
}

Type operand_type(char letter, const ptx::Opcode& opcode) {
  switch (letter) {
    case 's':
      return opcode.source_type;
    case 'w':
      return opcode.part == ptx::Part::Wide ? twice(opcode.type) : opcode.type;
    case 'u':
      return Type::U32;
    case 'p':
      return Type::Pred;
    case 'a':
      return Type::U64;
    case 'v':
      return opcode.vector > 1 ? part_of(opcode) : opcode.type;
    default:
      return opcode.type;
  }
}

/// Types of `count` operands on one side of the signature.
std::vector<Type> operand_types(std::string_view side, size_t count,
                                const ptx::Opcode& opcode) {
  size_t slots = 0;
  for (char letter : side) slots += letter != '?';
  size_t leave_out = slots > count ? slots - count : 0;
  std::vector<Type> types;
  for (size_t i = 0; i < side.size(); ++i) {
    const bool optional = side[i] == '?';
    if (optional) ++i;
    if (optional && leave_out > 0) {
      --leave_out;
      continue;
    }
    types.push_back(operand_type(side[i], opcode));
  }
  while (types.size() < count) {
    types.push_back(types.empty() ? opcode.type : types.back());
  }
  return types;
}

}  // namespace

void Lowering::lower_arithmetic(const Instruction& instruction, uint32_t shadowed) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (opcode.op == Op::Lop3 && opcode.combine != ptx::Combine::None) {
    if (instruction.destinations.size() != 2 || instruction.sources.size() != 5) {
      return mark_unsupported();
    }
    return lower_lop3_test(instruction);
  }
  const HandlerPair handlers = find_arithmetic(opcode, engine_.isa);
  const auto& to = instruction.destinations;
  const auto& from = instruction.sources;
  if (opcode.op == Op::Set && !handlers.full) return lower_set(instruction);
  if (!handlers.full || to.empty() || to.size() > 4 || from.size() > 4) {
    return mark_unsupported();
  }
  const std::string_view signature = ptx::row_of(opcode.op).signature;
  const size_t equals = signature.find('=');
  const auto to_types = operand_types(signature.substr(0, equals), to.size(), opcode);
  const auto from_types =
      operand_types(signature.substr(equals + 1), from.size(), opcode);
  uint32_t sources[4] = {}, results[4] = {};
  for (size_t i = 0; i < from.size(); ++i) {
    in_shadow_ = shadowed >> i & 1;
    sources[i] = source(from[i], from_types[i]);
  }
  in_shadow_ = shadowed != 0;
  for (size_t i = 0; i < to.size(); ++i) results[i] = result(to[i], to_types[i]);
  if ((opcode.carry_in || opcode.carry_out) && !has_carry_) {
    has_carry_ = true;
    carry_row_ = registers_.scratch(998, 0);
  }
  Step& step = emit(handlers);
  step.a = sources[0];
  step.b = to.size() > 2 ? results[2] : sources[1];
  step.c = to.size() > 2 ? results[3] : sources[2];
  step.e = opcode.carry_in ? carry_row_ : sources[3];
  step.d = results[0];
  step.d2 = opcode.carry_out ? carry_row_ : results[1];
  for (size_t i = 0; i < to.size(); ++i) finish_result(to[i], to_types[i]);
  in_shadow_ = false;
  const bool divides =
      (opcode.op == Op::Div || opcode.op == Op::Rem) && !ptx::is_float(opcode.type);
  if (divides) emit(Control::CheckDivision);
}

void Lowering::lower_address_conversion(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const Operand& to = instruction.destinations[0];
  const uint32_t from = source(instruction.sources[0], opcode.type);
  uint64_t window = 0;
  if (opcode.space == ptx::Space::Shared) window = kSharedWindow;
  if (opcode.space == ptx::Space::Local) window = kLocalWindow;
  ptx::Opcode made;
  made.type = made.source_type = Type::U64;
  if (opcode.space == ptx::Space::Param) window = kParamWindow;
  if (window != 0 && ptx::size_of(opcode.type) != 8) return mark_unsupported();
  if (window == 0) {
    made.op = Op::Mov;
    made.type = made.source_type = opcode.type;
    emit_arithmetic(made, result(to, opcode.type), from);
  } else {
    made.op = opcode.to ? Op::Sub : Op::Add;
    emit_arithmetic(made, result(to, Type::U64), from, registers_.value(window, 8));
  }
  finish_result(to, opcode.type);
}

}  // namespace minitorch::emulator

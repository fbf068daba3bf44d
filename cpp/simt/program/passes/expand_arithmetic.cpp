// The expansion of lane arithmetic, and of instructions that are a few steps of it one
// after the other.
#include <utility>

#include "simt/memory/memory.h"
#include "simt/program/passes/expand.h"

namespace minitorch::simt {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
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

// lop3.BOOL: the word, then a comparison of it with 0.
void expand_lop3_test(OpBuilder& builder, const Instruction& instruction) {
  Instruction plain = instruction;
  plain.opcode.combine = ptx::Combine::None;
  plain.destinations.resize(1);
  plain.sources.resize(4);
  const Value with = builder.source(instruction.sources[4], Type::Pred);
  expand_arithmetic(builder, plain);
  ptx::Opcode test = opcode_of(Op::Setp, Type::U32);
  test.comparison = ptx::Comparison::Ne;
  test.combine = instruction.opcode.combine;
  const Value zero = builder.values.number(0, 4);
  const Value word = builder.result(instruction.destinations[0], Type::B32);
  const Value holds = builder.result(instruction.destinations[1], Type::Pred);
  builder.lane(test, {holds}, {word, zero, with});
}

// set: the comparison, then what it chooses, for pairs in each half.
void expand_set(OpBuilder& builder, const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& from = instruction.sources;
  const bool pair =
      opcode.source_type == Type::F16x2 || opcode.source_type == Type::BF16x2;
  ptx::Opcode test = opcode;
  test.op = Op::Setp;
  test.type = opcode.source_type;
  const Value a = builder.source(from[0], opcode.source_type);
  const Value b = builder.source(from[1], opcode.source_type);
  const Value with = from.size() > 2 ? builder.source(from[2], Type::Pred) : Value{};
  const Value low = builder.temporary(0), high = builder.temporary(0);
  if (!builder.lane(test, {low, high}, {a, b, with})) return;
  const uint32_t value = true_value(opcode);
  const Value zero = builder.values.number(0, 4);
  const Operand& to = instruction.destinations[0];
  const ptx::Opcode choice = opcode_of(Op::Selp, Type::B32);
  const Value chosen = builder.values.number(value, 4);
  const Value result = builder.result(to, opcode.type);
  builder.lane(choice, {result}, {chosen, zero, low});
  if (pair) {
    const Value upper = builder.temporary(4);
    const Value shifted = builder.values.number(value << 16, 4);
    builder.lane(choice, {upper}, {shifted, zero, high});
    builder.lane(opcode_of(Op::Or, Type::B32), {result}, {result, upper});
  }
  builder.finish_result(to, opcode.type);
}

/// The operands' values.
struct Operands {
  std::vector<Value> results, sources;
};

Operands operands_of(OpBuilder& builder, const Instruction& instruction,
                     uint32_t shadowed) {
  const auto& from = instruction.sources;
  Operands made;
  for (size_t i = 0; i < from.size(); ++i) {
    const Side side = shadowed >> i & 1 ? Side::Shadow : Side::Own;
    made.sources.push_back(builder.source(from[i], from[i].type, side));
  }
  const Side side = shadowed != 0 ? Side::Shadow : Side::Own;
  for (const Operand& to : instruction.destinations) {
    made.results.push_back(builder.result(to, to.type, side));
  }
  return made;
}

/// The flag of a carry chain is the last source and the second result.
void add_carry(OpBuilder& builder, const ptx::Opcode& opcode, Operands& operands) {
  if (!opcode.carry_in && !opcode.carry_out) return;
  const Value carry = builder.values.scratch(Values::Role::Carry, 0, 0);
  if (opcode.carry_in) {
    operands.sources.resize(4);
    operands.sources[3] = carry;
  }
  if (opcode.carry_out) {
    operands.results.resize(2);
    operands.results[1] = carry;
  }
}

}  // namespace

void expand_arithmetic(OpBuilder& builder, const Instruction& instruction,
                       uint32_t shadowed) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& to = instruction.destinations;
  if (opcode.op == Op::Lop3 && opcode.combine != ptx::Combine::None) {
    if (to.size() != 2 || instruction.sources.size() != 5) return builder.unsupported();
    return expand_lop3_test(builder, instruction);
  }
  const bool known =
      find_arithmetic(opcode, builder.program.engine.isa).full != nullptr;
  if (opcode.op == Op::Set && !known) return expand_set(builder, instruction);
  if (!known || to.empty() || to.size() > 4 || instruction.sources.size() > 4) {
    return builder.unsupported();
  }
  Operands operands = operands_of(builder, instruction, shadowed);
  add_carry(builder, opcode, operands);
  builder.lane(opcode, std::move(operands.results), std::move(operands.sources));
  const Side side = shadowed != 0 ? Side::Shadow : Side::Own;
  for (const Operand& each : to) builder.finish_result(each, each.type, side);
  const bool divides = ptx::facts(opcode.op).effect == ptx::Effect::Divide;
  if (divides && !ptx::is_float(opcode.type)) builder.control(Control::CheckDivision);
}

void expand_address_conversion(OpBuilder& builder, const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const Operand& to = instruction.destinations[0];
  const Value from = builder.source(instruction.sources[0], opcode.type);
  uint64_t window = 0;
  if (opcode.space == ptx::Space::Shared) window = kSharedWindow;
  if (opcode.space == ptx::Space::Local) window = kLocalWindow;
  if (opcode.space == ptx::Space::Param) window = kParamWindow;
  if (window != 0 && ptx::size_of(opcode.type) != 8) return builder.unsupported();
  if (window == 0) {
    const Value result = builder.result(to, opcode.type);
    builder.lane(opcode_of(Op::Mov, opcode.type), {result}, {from});
  } else {
    const Value base = builder.values.number(window, 8);
    const Value result = builder.result(to, Type::U64);
    builder.lane(opcode_of(opcode.to ? Op::Sub : Op::Add, Type::U64), {result},
                 {from, base});
  }
  builder.finish_result(to, opcode.type);
}

void expand_is_space(OpBuilder& builder, const Instruction& instruction) {
  uint64_t window = 0;
  switch (instruction.opcode.space) {
    case ptx::Space::Shared:
      window = kSharedWindow;
      break;
    case ptx::Space::Local:
      window = kLocalWindow;
      break;
    case ptx::Space::Global:
      break;
    default:
      return builder.unsupported();
  }
  const Value address = builder.source(instruction.sources[0], Type::U64);
  const Value result = builder.result(instruction.destinations[0], Type::Pred);
  WarpOp& op = builder.control(Control::IsSpace);
  op.sources = {address};
  op.results = {result};
  op.immediate = static_cast<int64_t>(window >> 56);
}

}  // namespace minitorch::simt

// Owns the rows that operands are read from and written to, with the conversions that
// registers wider than the operation need. Must not know instructions.
#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Special;
using ptx::Type;
using Kind = ptx::Operand::Kind;

Step& Lowering::emit(HandlerPair handlers) {
  Step& step = code_.steps.emplace_back();
  step.run[0] = handlers.full;
  step.run[1] = handlers.masked;
  step.instruction = instruction_;
  return step;
}

Step& Lowering::emit(Control control) { return emit(engine_.control(control)); }

bool Lowering::emit_arithmetic(ptx::Opcode opcode, uint32_t d, uint32_t a, uint32_t b) {
  const HandlerPair handlers = find_arithmetic(opcode, engine_.isa);
  if (!handlers.full) {
    mark_unsupported();
    return false;
  }
  Step& step = emit(handlers);
  step.d = d;
  step.a = a;
  step.b = b;
  return true;
}

void Lowering::mark_unsupported() { emit(Control::Unsupported); }

namespace {

ptx::Opcode conversion(Type to, Type from) {
  ptx::Opcode opcode;
  opcode.op = Op::Cvt;
  opcode.type = to;
  opcode.source_type = from;
  return opcode;
}

ptx::Opcode predicate_not() {
  ptx::Opcode opcode;
  opcode.op = Op::Not;
  opcode.type = opcode.source_type = Type::Pred;
  return opcode;
}

int64_t clock_form(Special special) {
  switch (special) {
    case Special::Clock:
      return 0;
    case Special::Clock64:
      return 1;
    case Special::ClockHi:
      return 2;
    case Special::GlobalTimer:
      return 3;
    case Special::GlobalTimerLo:
      return 4;
    default:
      return 5;
  }
}

}  // namespace

uint32_t Lowering::move_dynamic_special(const Operand& operand, uint32_t lane_bytes) {
  const uint32_t row = registers_.scratch(scratch_used_++, lane_bytes);
  Step& step = emit(Control::Clock);
  step.d = row;
  step.b = lane_bytes;
  step.immediate = clock_form(operand.special);
  return row;
}

uint32_t Lowering::row_of(uint32_t reg) {
  return in_shadow_ ? registers_.shadow(reg) : registers_.row(reg);
}

uint32_t Lowering::source(const Operand& operand, Type type) {
  const uint32_t wanted = row_bytes(type);
  if (in_shadow_ && !poison_.may_hold(operand)) return registers_.value(0, wanted);
  if (operand.kind == Kind::Special && operand.special >= Special::Clock &&
      operand.special <= Special::GlobalTimerHi) {
    return move_dynamic_special(operand, wanted);
  }
  if (operand.kind != Kind::Register) {
    Operand constant = operand;
    const uint32_t size = ptx::size_of(type);
    if (size != 0 && size < 8) constant.bits &= (uint64_t{1} << (8 * size)) - 1;
    return registers_.constant(constant, wanted);
  }
  const uint32_t row = row_of(operand.index);
  if (operand.negated && !in_shadow_) {
    const uint32_t inverse = registers_.scratch(scratch_used_++, 0);
    emit_arithmetic(predicate_not(), inverse, row);
    return inverse;
  }
  const uint32_t have = registers_.lane_bytes(operand.index);
  if (have == wanted || have == 0) return row;
  const uint32_t converted = registers_.scratch(scratch_used_++, wanted);
  if (have > wanted) {
    emit_arithmetic(conversion(Type::U32, Type::U64), converted, row);
  } else {
    emit_arithmetic(conversion(Type::U64, Type::U32), converted, row);
  }
  return converted;
}

uint32_t Lowering::result(const Operand& operand, Type type) {
  const uint32_t wanted = row_bytes(type);
  if (operand.kind == Kind::Register &&
      registers_.lane_bytes(operand.index) == wanted) {
    return row_of(operand.index);
  }
  // The number is fixed, so that finish_result finds the same row.
  return registers_.scratch(operand.kind == Kind::Register ? 1000 + operand.index : 999,
                            wanted);
}

void Lowering::finish_result(const Operand& operand, Type type) {
  if (operand.kind != Kind::Register || type == Type::Pred) return;
  const uint32_t from = result(operand, type);
  const uint32_t size = ptx::size_of(type);
  const uint32_t declared = ptx::size_of(registers_.declared(operand.index).type);
  if (ptx::is_signed(type) && size < 4 && declared > size) {
    if (size == 2) {
      emit(Control::SignExtend16To32).d = from;
    } else {
      emit(declared == 2 ? Control::SignExtend8 : Control::SignExtend8To32).d = from;
    }
  }
  if (registers_.lane_bytes(operand.index) <= row_bytes(type)) return;
  emit_arithmetic(conversion(ptx::is_signed(type) ? Type::S64 : Type::U64,
                             ptx::is_signed(type) ? Type::S32 : Type::U32),
                  row_of(operand.index), from);
}

}  // namespace minitorch::emulator

#include "simt/program/op_builder.h"

namespace minitorch::simt {

using ptx::Op;
using ptx::Special;
using ptx::Type;
using Kind = ptx::Operand::Kind;
using Role = Values::Role;

OpBuilder::OpBuilder(WarpProgram& of, uint32_t instruction, std::vector<WarpOp>& into)
    : program(of), values(of.values), ops(into), instruction_(instruction) {}

WarpOp& OpBuilder::add(WarpOp::Kind kind) {
  WarpOp& op = ops.emplace_back();
  op.kind = kind;
  op.instruction = instruction_;
  return op;
}

WarpOp& OpBuilder::control(Control control) {
  WarpOp& op = add(WarpOp::Kind::Control);
  op.control = control;
  return op;
}

WarpOp& OpBuilder::definedness(PoisonStep shadow, const PoisonForm& form) {
  WarpOp& op = add(WarpOp::Kind::Definedness);
  op.shadow = shadow;
  op.form = form;
  return op;
}

WarpOp& OpBuilder::collective(WarpOp::Kind kind, const ptx::Opcode& opcode) {
  WarpOp& op = add(kind);
  op.opcode = opcode;
  return op;
}

bool OpBuilder::lane(const ptx::Opcode& opcode, std::vector<Value> results,
                     std::vector<Value> sources) {
  if (!find_arithmetic(opcode, program.engine.isa).full) {
    unsupported();
    return false;
  }
  WarpOp& op = add(WarpOp::Kind::Lane);
  op.opcode = opcode;
  op.results = std::move(results);
  op.sources = std::move(sources);
  return true;
}

uint32_t OpBuilder::add_access(const MemoryForm& form) {
  program.code.accesses.push_back(form);
  return static_cast<uint32_t>(program.code.accesses.size() - 1);
}

WarpOp& OpBuilder::access(const MemoryForm& form, AddressValue address) {
  WarpOp& op = add(WarpOp::Kind::Access);
  op.address = address.base;
  op.offset = address.offset;
  op.access = add_access(form);
  // A generic access keeps what it found for shared memory beside its own (Memory).
  if (form.space == ptx::Space::Generic) add_access(form);
  return op;
}

void OpBuilder::unsupported() { control(Control::Unsupported); }

Value OpBuilder::temporary(uint32_t lane_bytes) {
  const uint32_t number = program.groups[instruction_].temporaries++;
  return values.scratch(Role::Temporary, number, lane_bytes);
}

namespace {

ptx::Opcode conversion(Type to, Type from) {
  ptx::Opcode opcode = opcode_of(Op::Cvt, to);
  opcode.source_type = from;
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

Value OpBuilder::read_clock(const Operand& operand, uint32_t lane_bytes) {
  const Value value = temporary(lane_bytes);
  WarpOp& op = control(Control::Clock);
  op.results = {value};
  op.bytes = lane_bytes;
  op.immediate = clock_form(operand.special);
  return value;
}

Value OpBuilder::of(uint32_t reg, Side side) {
  return side == Side::Shadow ? values.shadow(reg) : values.of(reg);
}

Value OpBuilder::source(const Operand& operand, Type type, Side side) {
  const uint32_t wanted = row_bytes(type);
  if (side == Side::Shadow && !program.poison.may_hold(operand)) {
    return values.number(0, wanted);
  }
  if (operand.kind == Kind::Special && operand.special >= Special::Clock &&
      operand.special <= Special::GlobalTimerHi) {
    return read_clock(operand, wanted);
  }
  if (operand.kind != Kind::Register) {
    Operand constant = operand;
    const uint32_t size = ptx::size_of(type);
    if (size != 0 && size < 8) constant.bits &= (uint64_t{1} << (8 * size)) - 1;
    return values.constant(constant, wanted);
  }
  const Value value = of(operand.index, side);
  if (operand.negated && side == Side::Own) {
    const Value inverse = temporary(0);
    lane(opcode_of(Op::Not, Type::Pred), {inverse}, {value});
    return inverse;
  }
  const uint32_t have = values.lane_bytes(operand.index);
  if (have == wanted || have == 0) return value;
  const Value converted = temporary(wanted);
  const bool narrows = have > wanted;
  lane(narrows ? conversion(Type::U32, Type::U64) : conversion(Type::U64, Type::U32),
       {converted}, {value});
  return converted;
}

Value OpBuilder::result(const Operand& operand, Type type, Side side) {
  const uint32_t wanted = row_bytes(type);
  if (operand.kind != Kind::Register) return values.scratch(Role::Sink, 0, wanted);
  if (values.lane_bytes(operand.index) == wanted) return of(operand.index, side);
  return values.scratch(Role::Narrow, operand.index, wanted);
}

void OpBuilder::finish_result(const Operand& operand, Type type, Side side) {
  if (operand.kind != Kind::Register || type == Type::Pred) return;
  const Value from = result(operand, type, side);
  const uint32_t size = ptx::size_of(type);
  const uint32_t declared = ptx::size_of(values.declared(operand.index).type);
  if (ptx::is_signed(type) && size < 4 && declared > size) {
    const Control narrow =
        declared == 2 ? Control::SignExtend8 : Control::SignExtend8To32;
    WarpOp& op = control(size == 2 ? Control::SignExtend16To32 : narrow);
    op.results = op.sources = {from};
  }
  if (values.lane_bytes(operand.index) <= row_bytes(type)) return;
  const bool sign = ptx::is_signed(type);
  lane(conversion(sign ? Type::S64 : Type::U64, sign ? Type::S32 : Type::U32),
       {of(operand.index, side)}, {from});
}

AddressValue OpBuilder::address(const ptx::Address& address, MemoryForm& form) {
  const ptx::Operand& base = address.base;
  form.address_bytes = 8;
  if (base.kind != Kind::Register) return {values.constant(base, 8), address.offset};
  const bool narrow_space = form.space == ptx::Space::Shared ||
                            form.space == ptx::Space::Local ||
                            form.space == ptx::Space::Param;
  if (values.lane_bytes(base.index) == 8 || !narrow_space) {
    return {source(base, Type::U64), address.offset};
  }
  // A 32-bit register in a 32-bit space: the sum wraps. Lanes add 64 bits to the
  // register as a signed number (pattern.h): the same, for small offsets.
  const auto offset = static_cast<int32_t>(address.offset);
  constexpr int32_t kSmall = 1 << 30;
  const Value value = values.of(base.index);
  const bool parameter = form.space == ptx::Space::Param;
  if (!parameter) form.address_bytes = 4;
  if (!parameter && offset > -kSmall && offset < kSmall) return {value, offset};
  const Value sum = temporary(4);
  lane(opcode_of(Op::Add, Type::U32), {sum},
       {value, values.number(static_cast<uint32_t>(offset), 4)});
  if (!parameter) return {sum, 0};
  const Value wide = temporary(8);
  lane(conversion(Type::U64, Type::U32), {wide}, {sum});
  return {wide, 0};
}

}  // namespace minitorch::simt

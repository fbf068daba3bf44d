// Owns the lowering of loads, stores, atomics and parameters. Must not know how memory
// is checked or moved.
#include "emulator/lowering.h"
#include "emulator/memory.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Space;
using ptx::Type;
using Kind = ptx::Operand::Kind;
using ParameterKind = ptx::Instruction::ParameterKind;

MemoryForm Lowering::form_of(const Instruction& instruction) const {
  const ptx::Opcode& opcode = instruction.opcode;
  MemoryForm form;
  form.space = opcode.space;
  form.bytes = static_cast<uint8_t>(ptx::size_of(opcode.type));
  form.vector = opcode.vector;
  form.ordered = opcode.order != ptx::Order::Weak;
  const Provenance from = provenance_of(provenance_, instruction.address.base);
  form.base_index = from.index;
  if (from.base == Provenance::Base::Variable) form.base = MemoryForm::Base::Variable;
  if (from.base == Provenance::Base::Parameter) form.base = MemoryForm::Base::Parameter;
  form.order = opcode.order;
  form.scope = opcode.scope;
  return form;
}

/// The row holding the base of an address, and what is to be added to it.
uint32_t Lowering::address_row(const ptx::Address& address, MemoryForm& form,
                               int64_t& offset) {
  offset = address.offset;
  if (address.base.kind == Kind::Register) {
    form.address_bytes =
        static_cast<uint8_t>(registers_.lane_bytes(address.base.index));
    const uint32_t row = registers_.row(address.base.index);
    if (form.address_bytes == 4 && form.space != Space::Shared &&
        form.space != Space::Local) {
      form.address_bytes = 8;
      return source(address.base, Type::U64);
    }
    return row;
  }
  form.address_bytes = 8;
  return registers_.constant(address.base, 8);
}

Step& Lowering::emit_access(const MemoryForm& form, uint32_t address) {
  Step& step = emit(engine_.memory(form));
  step.a = address;
  step.pattern = registers_.pattern(address);
  step.e = static_cast<uint32_t>(code_.accesses.size());
  code_.accesses.push_back(form);
  if (form.space == Space::Generic) code_.accesses.push_back(form);  // shared_hit
  return step;
}

void Lowering::spin_hint(const MemoryForm& form, int64_t cost) {
  Step& step = emit(Control::SpinHint);
  step.immediate = cost;
  step.a = form.space != Space::Shared;
}

void Lowering::lower_load(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (opcode.space == Space::Param) return lower_parameter_load(instruction);
  const Provenance of = provenance_of(provenance_, instruction.address.base);
  if (opcode.space == Space::Generic && of.base == Provenance::Base::Own) {
    return lower_parameter_load(instruction, kParamWindow);
  }
  const auto& to = instruction.destinations;
  MemoryForm form = form_of(instruction);
  int64_t offset = 0;
  const uint32_t address = address_row(instruction.address, form, offset);
  if (!engine_.memory(form).full || to.size() > 4) return mark_unsupported();
  uint32_t rows[4] = {};
  for (size_t i = 0; i < to.size(); ++i) {
    rows[i] = to[i].kind == Kind::Register
                  ? result(to[i], opcode.type)
                  : registers_.scratch(990 + static_cast<uint32_t>(i),
                                       row_bytes(opcode.type));
  }
  if (form.ordered) spin_hint(form, kSpinCost);
  Step& step = emit_access(form, address);
  step.immediate = offset;
  step.d = rows[0];
  step.d2 = rows[1];
  step.b = rows[2];
  step.c = rows[3];
  probe_access();
  poison_load(instruction);
  for (const Operand& operand : to) finish_result(operand, opcode.type);
}

void Lowering::lower_store(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (opcode.space == Space::Param) return lower_parameter_store(instruction);
  const auto& from = instruction.sources;
  MemoryForm form = form_of(instruction);
  form.kind = MemoryForm::Kind::Store;
  int64_t offset = 0;
  const uint32_t address = address_row(instruction.address, form, offset);
  if (!engine_.memory(form).full || from.size() > 4) return mark_unsupported();
  uint32_t rows[4] = {};
  for (size_t i = 0; i < from.size(); ++i) rows[i] = source(from[i], opcode.type);
  check_sources(form, address, offset);
  Step& step = emit_access(form, address);
  step.immediate = offset;
  step.b = rows[0];
  step.c = rows[1];
  step.d = rows[2];
  step.d2 = rows[3];
  probe_access();
  poison_store(instruction);
}

void Lowering::lower_atomic(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& from = instruction.sources;
  MemoryForm form = form_of(instruction);
  form.kind = MemoryForm::Kind::Atomic;
  form.compares = opcode.atomic == ptx::AtomicOp::Cas;
  int64_t offset = 0;
  const uint32_t address = address_row(instruction.address, form, offset);
  if (!find_atomic(opcode.atomic, opcode.type, form) || !engine_.memory(form).full) {
    return mark_unsupported();
  }
  const uint32_t operand = source(from[0], opcode.type);
  const uint32_t swap = from.size() > 1 ? source(from[1], opcode.type) : operand;
  const bool has_result = !instruction.destinations.empty();
  const Operand to = has_result ? instruction.destinations[0] : Operand{};
  const bool spins = opcode.atomic == ptx::AtomicOp::Cas ||
                     opcode.atomic == ptx::AtomicOp::Exch || form.ordered;
  if (has_result) spin_hint(form, spins ? kSpinCost : kAtomicCost);
  check_sources(form, address, offset);
  Step& step = emit_access(form, address);
  step.immediate = offset;
  step.b = operand;
  step.c = swap;
  step.d = result(to, opcode.type);
  probe_access();
  if (has_result) finish_result(to, opcode.type);
}

void Lowering::lower_parameter_load(const Instruction& instruction, uint64_t window) {
  const ptx::Opcode& opcode = instruction.opcode;
  const uint32_t bytes = ptx::size_of(opcode.type);
  const bool own = instruction.parameter_kind == ParameterKind::Own;
  const bool dynamic = instruction.parameter_kind == ParameterKind::None;
  const Provenance of = provenance_of(provenance_, instruction.address.base);
  const uint32_t first =
      instruction.parameter_offset + static_cast<uint32_t>(instruction.address.offset);
  uint32_t offset = first;
  for (const Operand& to : instruction.destinations) {
    const uint32_t row = result(to, opcode.type);
    if (dynamic) {
      const uint32_t address = source(instruction.address.base, Type::U64);
      Step& step = emit(Control::LoadParameterAt);
      step.d = row;
      step.a = address;
      step.b = bytes;
      step.d2 = of.base == Provenance::Base::Own ? of.index : ptx::kNone;
      step.immediate =
          instruction.address.offset + (offset - first) - static_cast<int64_t>(window);
    } else if (own && function_.entry) {
      ptx::Opcode move;
      move.op = Op::Mov;
      move.type = move.source_type =
          row_bytes(opcode.type) == 8 ? Type::B64 : Type::B32;
      emit_arithmetic(
          move, row,
          registers_.parameter(offset, bytes, row_bytes(opcode.type), false));
    } else {
      Step& step = emit(Control::LoadSlot);
      step.d = row;
      step.a = own ? code_.parameters.row : code_.call_results.row;
      step.b = bytes;
      step.immediate = offset;
    }
    finish_result(to, opcode.type);
    offset += bytes;
  }
}

void Lowering::lower_parameter_store(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const uint32_t bytes = ptx::size_of(opcode.type);
  const bool returned = instruction.parameter_kind == ParameterKind::OwnReturn;
  uint32_t offset =
      instruction.parameter_offset + static_cast<uint32_t>(instruction.address.offset);
  for (const Operand& from : instruction.sources) {
    const uint32_t row = source(from, opcode.type);
    Step& step = emit(Control::StoreSlot);
    step.a = row;
    step.d = returned ? code_.returns.row : code_.arguments.row;
    step.b = bytes;
    step.immediate = offset;
    offset += bytes;
  }
}

}  // namespace minitorch::emulator

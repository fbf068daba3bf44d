// The expansion of loads, stores, atomics and parameters.
#include "simt/memory/memory.h"
#include "simt/program/passes/expand.h"
#include "simt/program/provenance.h"

namespace minitorch::simt {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using Kind = Operand::Kind;
using ParameterKind = Instruction::ParameterKind;

void hold_to_base(MemoryForm& form, const Operand& base, const Bases& bases) {
  const Provenance from = provenance_of(bases, base);
  form.base_index = from.index;
  if (from.base == Provenance::Base::Variable) form.base = MemoryForm::Base::Variable;
  if (from.base == Provenance::Base::Parameter) form.base = MemoryForm::Base::Parameter;
}

MemoryForm form_of(const Instruction& instruction, const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  MemoryForm form;
  form.space = opcode.space;
  form.bytes = static_cast<uint8_t>(ptx::size_of(opcode.type));
  form.vector = opcode.vector;
  form.ordered = opcode.order != ptx::Order::Weak;
  hold_to_base(form, instruction.address.base, bases);
  form.order = opcode.order;
  form.scope = opcode.scope;
  return form;
}

namespace {

/// Before an access that is typical of spin loops.
void hint_at_spinning(OpBuilder& builder, const MemoryForm& form, AddressValue address,
                      int64_t cost) {
  WarpOp& op = builder.control(Control::SpinHint);
  op.immediate = cost;
  op.number = static_cast<uint32_t>(form.space == Space::Shared ? Looks::Inside
                                                                : Looks::Outside);
  op.address = address.base;
  op.offset = address.offset;
  op.bytes = form.address_bytes;
}

/// The value of one word of a parameter.
struct ParameterPart {
  uint32_t offset;  // of the word in its buffer
  uint64_t window;  // what a generic address of a parameter has beside its offset
  uint32_t before;  // bytes of the words that this instruction has loaded
  uint32_t meant;   // the parameter, if known
};

void load_part(OpBuilder& builder, const Instruction& instruction,
               const ParameterPart& part, Value result) {
  const ptx::Opcode& opcode = instruction.opcode;
  const uint32_t bytes = ptx::size_of(opcode.type), wide = row_bytes(opcode.type);
  const bool own = instruction.parameter_kind == ParameterKind::Own;
  if (instruction.parameter_kind == ParameterKind::None) {
    MemoryForm form;
    form.space = opcode.space;
    const AddressValue address = builder.address(instruction.address, form);
    WarpOp& op = builder.control(Control::LoadParameterAt);
    op.results = {result};
    op.sources = {address.base};
    op.bytes = bytes;
    op.number = part.meant;
    op.offset = address.offset + part.before - static_cast<int64_t>(part.window);
    return;
  }
  if (own && builder.program.function.entry) {
    const Value parameter = builder.values.parameter(part.offset, bytes, wide);
    builder.lane(opcode_of(Op::Mov, wide == 8 ? Type::B64 : Type::B32), {result},
                 {parameter});
    return;
  }
  WarpOp& op = builder.control(Control::LoadSlot);
  op.results = {result};
  op.buffer = own ? Buffer::Parameters : Buffer::CallResults;
  op.bytes = bytes;
  op.offset = part.offset;
}

void expand_parameter_load(OpBuilder& builder, const Instruction& instruction,
                           const Bases& bases, uint64_t window) {
  const ptx::Opcode& opcode = instruction.opcode;
  const Provenance of = provenance_of(bases, instruction.address.base);
  const uint32_t meant = of.base == Provenance::Base::Own ? of.index : ptx::kNone;
  const uint32_t first =
      instruction.parameter_offset + static_cast<uint32_t>(instruction.address.offset);
  uint32_t before = 0;
  for (const Operand& to : instruction.destinations) {
    const Value result = builder.result(to, opcode.type);
    load_part(builder, instruction, {first + before, window, before, meant}, result);
    builder.finish_result(to, opcode.type);
    before += ptx::size_of(opcode.type);
  }
}

void expand_parameter_store(OpBuilder& builder, const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const bool returned = instruction.parameter_kind == ParameterKind::OwnReturn;
  uint32_t offset =
      instruction.parameter_offset + static_cast<uint32_t>(instruction.address.offset);
  for (const Operand& from : instruction.sources) {
    const Value value = builder.source(from, opcode.type);
    WarpOp& op = builder.control(Control::StoreSlot);
    op.sources = {value};
    op.buffer = returned ? Buffer::Returns : Buffer::Arguments;
    op.bytes = ptx::size_of(opcode.type);
    op.offset = offset;
    offset += op.bytes;
  }
}

}  // namespace

void expand_load(OpBuilder& builder, const Instruction& instruction,
                 const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (opcode.space == Space::Param) {
    return expand_parameter_load(builder, instruction, bases, 0);
  }
  const Provenance of = provenance_of(bases, instruction.address.base);
  if (opcode.space == Space::Generic && of.base == Provenance::Base::Own) {
    return expand_parameter_load(builder, instruction, bases, kParamWindow);
  }
  const auto& to = instruction.destinations;
  MemoryForm form = form_of(instruction, bases);
  const AddressValue address = builder.address(instruction.address, form);
  const bool known = builder.program.engine.memory(form).full != nullptr;
  if (!known || to.size() > 4) return builder.unsupported();
  std::vector<Value> results;
  for (uint32_t i = 0; i < to.size(); ++i) {
    // Each needs a row of its own: lanes of several elements are written at once.
    const Value sink =
        to[i].kind == Kind::Register
            ? Value{}
            : builder.values.scratch(Values::Role::Sink, 1 + i, row_bytes(opcode.type));
    results.push_back(sink ? sink : builder.result(to[i], opcode.type));
  }
  if (form.ordered) hint_at_spinning(builder, form, address, kSpinCost);
  builder.access(form, address).results = results;
  for (const Operand& operand : to) builder.finish_result(operand, opcode.type);
}

void expand_store(OpBuilder& builder, const Instruction& instruction,
                  const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (opcode.space == Space::Param) {
    return expand_parameter_store(builder, instruction);
  }
  MemoryForm form = form_of(instruction, bases);
  form.kind = MemoryForm::Kind::Store;
  const AddressValue address = builder.address(instruction.address, form);
  const bool known = builder.program.engine.memory(form).full != nullptr;
  if (!known || instruction.sources.size() > 4) return builder.unsupported();
  std::vector<Value> sources;
  for (const Operand& from : instruction.sources) {
    sources.push_back(builder.source(from, opcode.type));
  }
  builder.access(form, address).sources = sources;
}

void expand_atomic(OpBuilder& builder, const Instruction& instruction,
                   const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& from = instruction.sources;
  MemoryForm form = form_of(instruction, bases);
  form.kind = MemoryForm::Kind::Atomic;
  form.compares = opcode.atomic == ptx::AtomicOp::Cas;
  const AddressValue address = builder.address(instruction.address, form);
  const bool known = find_atomic(opcode.atomic, opcode.type, form) &&
                     builder.program.engine.memory(form).full != nullptr;
  if (!known) return builder.unsupported();
  const Value operand = builder.source(from[0], opcode.type);
  const Value swap = from.size() > 1 ? builder.source(from[1], opcode.type) : operand;
  const bool has_result = !instruction.destinations.empty();
  const Operand to = has_result ? instruction.destinations[0] : Operand{};
  const bool spins = opcode.atomic == ptx::AtomicOp::Cas ||
                     opcode.atomic == ptx::AtomicOp::Exch || form.ordered;
  if (has_result) {
    hint_at_spinning(builder, form, address, spins ? kSpinCost : kAtomicCost);
  }
  const Value result = builder.result(to, opcode.type);
  WarpOp& op = builder.access(form, address);
  op.sources = {operand, swap};
  op.results = {result};
  if (has_result) builder.finish_result(to, opcode.type);
}

}  // namespace minitorch::simt

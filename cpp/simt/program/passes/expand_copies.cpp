// The expansion of asynchronous copies: cp.async is an ordinary load when it starts and
// an ordinary store at the wait for it, and mbarriers tell when.
#include <iterator>

#include "simt/program/passes/expand.h"

namespace minitorch::simt {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;
using Role = Values::Role;

namespace {

using Words = std::vector<Value>;

MemoryForm form_of_copy(ptx::Space space, MemoryForm::Kind kind, uint32_t size) {
  MemoryForm form;
  form.space = space;
  form.kind = kind;
  form.bytes = 4;
  form.vector = static_cast<uint8_t>(size / 4);
  return form;
}

Words copy_words(OpBuilder& builder, uint32_t count) {
  Words words;
  for (uint32_t w = 0; w < count; ++w) {
    words.push_back(builder.values.scratch(Role::CopyWord, w, 4));
  }
  return words;
}

Value compare(OpBuilder& builder, ptx::Comparison comparison, Value a, Value b) {
  ptx::Opcode opcode = opcode_of(Op::Setp, Type::U32);
  opcode.comparison = comparison;
  const Value predicate = builder.temporary(0);
  builder.lane(opcode, {predicate}, {a, b});
  return predicate;
}

void load_copied(OpBuilder& builder, const ptx::Address& from, MemoryForm form,
                 const Words& words, const Bases& bases) {
  hold_to_base(form, from.base, bases);
  const AddressValue address = builder.address(from, form);
  builder.access(form, address).results = words;
}

// One byte into its place of a word, where `wanted` exceeds its number. A guard of its
// own: cp.async itself is guarded by a branch.
void load_copied_byte(OpBuilder& builder, const ptx::Address& from, uint32_t number,
                      Value wanted, Value word, const Bases& bases) {
  Values& values = builder.values;
  const Value byte = values.scratch(
      Role::Temporary, builder.program.groups[builder.instruction()].temporaries, 4);
  const Value predicate =
      compare(builder, ptx::Comparison::Gt, wanted, values.number(number, 4));
  builder.control(Control::Guard).sources = {predicate};
  ptx::Address place = from;
  // Addresses wrap, as on the device.
  place.offset = static_cast<int64_t>(static_cast<uint64_t>(place.offset) + number);
  MemoryForm form;
  form.bytes = 1;
  load_copied(builder, place, form, {byte}, bases);
  builder.lane(opcode_of(Op::Shl, Type::U32), {byte},
               {byte, values.number(number % 4 * 8, 4)});
  builder.lane(opcode_of(Op::Or, Type::B32), {word}, {word, byte});
  builder.control(Control::Unguard);
}

/// Whether the last source says that nothing is read, instead of how many bytes are.
bool ignores_source(const OpBuilder& builder, const Operand& last) {
  return last.kind == Kind::Register &&
         builder.values.declared(last.index).type == Type::Pred;
}

// Bytes beyond the source size are zero and are not read. Nearly always a lane reads
// all or nothing; the rest goes byte by byte.
void load_part(OpBuilder& builder, const Instruction& instruction, uint32_t size,
               const Words& words, const Bases& bases) {
  Values& values = builder.values;
  const Operand& last = instruction.sources[1];
  const bool ignores = ignores_source(builder, last);
  const MemoryForm form =
      form_of_copy(ptx::Space::Global, MemoryForm::Kind::Load, size);
  const Value zero = values.number(0, 4);
  for (Value word : words) builder.lane(opcode_of(Op::Mov, Type::U32), {word}, {zero});
  const Value wanted = builder.source(last, ignores ? Type::Pred : Type::U32);
  const Value whole =
      ignores ? wanted
              : compare(builder, ptx::Comparison::Ge, wanted, values.number(size, 4));
  builder.control(ignores ? Control::GuardNegated : Control::Guard).sources = {whole};
  load_copied(builder, instruction.source_address, form, words, bases);
  builder.control(Control::Unguard);
  if (ignores || last.kind == Kind::Immediate) {
    if (ignores || last.bits == 0 || last.bits >= size) return;
  }
  // Lanes that have all of it want nothing more.
  const Value rest = builder.temporary(4);
  if (!builder.lane(opcode_of(Op::Selp, Type::U32), {rest}, {zero, wanted, whole})) {
    return;
  }
  for (uint32_t i = 0; i + 1 < size; ++i) {
    load_copied_byte(builder, instruction.source_address, i, rest, words[i / 4], bases);
  }
}

}  // namespace

void expand_copy(OpBuilder& builder, const Instruction& instruction,
                 const Bases& bases) {
  const Operand& amount = instruction.sources[0];
  if (amount.kind != Kind::Immediate ||
      (amount.bits != 4 && amount.bits != 8 && amount.bits != 16)) {
    return builder.unsupported();
  }
  const auto bytes = static_cast<uint32_t>(amount.bits);
  const Words words = copy_words(builder, bytes / 4);
  if (instruction.sources.size() > 1) {
    load_part(builder, instruction, bytes, words, bases);
  } else {
    load_copied(builder, instruction.source_address,
                form_of_copy(ptx::Space::Global, MemoryForm::Kind::Load, bytes), words,
                bases);
  }
  MemoryForm form = form_of_copy(ptx::Space::Shared, MemoryForm::Kind::Store, bytes);
  hold_to_base(form, instruction.address.base, bases);
  const AddressValue address = builder.address(instruction.address, form);
  WarpOp& op = builder.control(Control::StartCopy);
  op.address = address.base;
  op.offset = address.offset;
  op.sources = words;
  op.access = builder.add_access(form);
}

// NextCopy, then a store for each size, each followed by the way back.
void expand_copy_wait(OpBuilder& builder, const Instruction& instruction) {
  const bool all = instruction.sources.empty();
  const Value kept = all ? Value{} : builder.source(instruction.sources[0], Type::U32);
  const Value address = builder.values.scratch(Role::CopyAddress, 0, 8);
  const Words words = copy_words(builder, 4);
  WarpOp& next = builder.control(Control::NextCopy);
  next.sources = {kept};
  next.results = {address, words[0], words[1], words[2], words[3]};
  for (uint32_t size : {16u, 8u, 4u}) {
    const MemoryForm form =
        form_of_copy(ptx::Space::Shared, MemoryForm::Kind::Store, size);
    WarpOp& store = builder.access(form, {address, 0});
    store.sources = words;
    store.delayed = true;
    builder.control(Control::AgainCopy);
  }
}

namespace {

struct MbarrierControl {
  Op op;
  Control control;
};
constexpr MbarrierControl kMbarrierControls[] = {
    {Op::MbarrierInit, Control::MbarrierInit},
    {Op::MbarrierInval, Control::MbarrierInval},
    {Op::MbarrierArrive, Control::MbarrierArrive},
    {Op::MbarrierArrivePart, Control::MbarrierArrive},
    {Op::MbarrierDrop, Control::MbarrierArrive},
    {Op::MbarrierDropPart, Control::MbarrierArrive},
    {Op::MbarrierTest, Control::MbarrierTest},
    {Op::MbarrierTestParity, Control::MbarrierTest},
    {Op::MbarrierTry, Control::MbarrierTest},
    {Op::MbarrierTryParity, Control::MbarrierTest},
    {Op::CpAsyncArrive, Control::CopyArrive},
    {Op::CpAsyncArriveNoinc, Control::CopyArrive},
};
static_assert(ptx::covers(kMbarrierControls, [](const ptx::OpcodeFacts& facts) {
  return ptx::is_mbarrier(facts.op);
}));

Control control_of(Op op) {
  const auto* row = std::begin(kMbarrierControls);
  while (row->op != op) ++row;
  return row->control;
}

uint32_t flags_of(const ptx::Opcode& opcode) {
  const Op op = opcode.op;
  const bool drops = op == Op::MbarrierDrop || op == Op::MbarrierDropPart;
  const bool part = op == Op::MbarrierArrivePart || op == Op::MbarrierDropPart;
  const bool parity = op == Op::MbarrierTestParity || op == Op::MbarrierTryParity;
  const bool relaxed = opcode.order == ptx::Order::Relaxed;
  return (drops ? kMbarrierDrops : 0u) | (part ? kMbarrierPart : 0u) |
         (parity ? kMbarrierParity : 0u) | (relaxed ? kMbarrierRelaxed : 0u) |
         (op == Op::CpAsyncArriveNoinc ? kMbarrierCounted : 0u);
}

/// Who invalidates has often only heard by the way that all others are done (one lane
/// of a warp speaks for all in cuda::pipeline): who is not is found when it comes.
MemoryForm::Kind kind_of(Control control) {
  switch (control) {
    case Control::MbarrierInit:
      return MemoryForm::Kind::Store;
    case Control::MbarrierTest:
      return MemoryForm::Kind::Load;
    default:
      return MemoryForm::Kind::Atomic;
  }
}

}  // namespace

void expand_mbarrier(OpBuilder& builder, const Instruction& instruction,
                     const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  const Control control = control_of(opcode.op);
  MemoryForm form = form_of(instruction, bases);
  form.kind = kind_of(control);
  form.ordered = form.kind == MemoryForm::Kind::Load;
  form.scope = ptx::Scope::Cta;
  form.opaque = true;
  const AddressValue address = builder.address(instruction.address, form);
  uint32_t flags = flags_of(opcode);
  if (form.space == ptx::Space::Generic &&
      instruction.address.base.kind != Kind::Variable) {
    flags |= kMbarrierGeneric;
  }
  form.space = ptx::Space::Shared;
  const bool tests = control == Control::MbarrierTest;
  const auto& from = instruction.sources;
  const auto& to = instruction.destinations;
  const Type first = tests && !(flags & kMbarrierParity) ? Type::B64 : Type::U32;
  const Value operand = from.empty() ? Value{} : builder.source(from[0], first);
  const Value result =
      to.empty() ? Value{} : builder.result(to[0], tests ? Type::Pred : Type::B64);
  if (tests) {
    WarpOp& hint = builder.control(Control::SpinHint);
    hint.immediate = kPollCost;
    hint.number = static_cast<uint32_t>(Looks::Inside);
  }
  WarpOp& op = builder.control(control);
  op.address = address.base;
  op.offset = address.offset;
  op.sources = {operand};
  op.number = flags;
  if (result) op.results = {result};
  op.access = builder.add_access(form);
  if (flags & kMbarrierGeneric) builder.add_access(form);  // see OpBuilder::access
}

void expand_pending_count(OpBuilder& builder, const Instruction& instruction) {
  const Operand& to = instruction.destinations[0];
  const Value state = builder.source(instruction.sources[0], Type::B64);
  const Value result = builder.result(to, Type::U32);
  WarpOp& op = builder.control(Control::MbarrierPending);
  op.sources = {state};
  op.results = {result};
  builder.finish_result(to, Type::U32);
}

}  // namespace minitorch::simt

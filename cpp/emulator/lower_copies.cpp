// Owns the lowering of cp.async: an ordinary load when it starts, an ordinary store at
// the wait for it. Must not know where copies are kept in between.
#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

namespace {

MemoryForm form_of_copy(ptx::Space space, MemoryForm::Kind kind, uint32_t size) {
  MemoryForm form;
  form.space = space;
  form.kind = kind;
  form.bytes = 4;
  form.vector = static_cast<uint8_t>(size / 4);
  return form;
}

}  // namespace

uint32_t Lowering::compare(ptx::Comparison comparison, uint32_t a, uint32_t b) {
  ptx::Opcode opcode = opcode_of(Op::Setp, Type::U32);
  opcode.comparison = comparison;
  const uint32_t predicate = registers_.scratch(scratch_used_++, 0);
  emit_arithmetic(opcode, predicate, a, b);
  return predicate;
}

void Lowering::load_copied(const ptx::Address& from, MemoryForm form,
                           const std::array<uint32_t, 4>& words) {
  int64_t offset = 0;
  const uint32_t address = address_row(from, form, offset);
  Step& step = emit_access(form, address);
  step.immediate = offset;
  step.d = words[0];
  step.d2 = words[1];
  step.b = words[2];
  step.c = words[3];
  probe_access();
}

// One byte into its place of a word, where `wanted` exceeds its number. A guard of its
// own: cp.async itself is guarded by a branch.
void Lowering::load_copied_byte(const ptx::Address& from, uint32_t number,
                                uint32_t wanted, uint32_t word) {
  const uint32_t byte = registers_.scratch(scratch_used_, 4);
  const uint32_t predicate =
      compare(ptx::Comparison::Gt, wanted, registers_.value(number, 4));
  const size_t guard = code_.steps.size();
  emit(Control::Guard).a = predicate;
  ptx::Address place = from;
  // Addresses wrap, as on the device.
  place.offset = static_cast<int64_t>(static_cast<uint64_t>(place.offset) + number);
  MemoryForm form;
  form.bytes = 1;
  load_copied(place, form, {byte});
  emit_arithmetic(opcode_of(Op::Shl, Type::U32), byte, byte,
                  registers_.value(number % 4 * 8, 4));
  ptx::Opcode join = opcode_of(Op::Or, Type::U32);
  join.type = join.source_type = Type::B32;
  emit_arithmetic(join, word, word, byte);
  emit(Control::Unguard);
  code_.steps[guard].b = static_cast<uint32_t>(code_.steps.size() - guard);
}

// Bytes beyond the source size are zero and are not read. Nearly always a lane reads
// all or nothing; the rest goes byte by byte.
void Lowering::load_part(const Instruction& instruction, uint32_t size,
                         const std::array<uint32_t, 4>& words) {
  const Operand& last = instruction.sources[1];
  const bool ignores =
      last.kind == Kind::Register && registers_.declared(last.index).type == Type::Pred;
  const MemoryForm form =
      form_of_copy(ptx::Space::Global, MemoryForm::Kind::Load, size);
  const uint32_t zero = registers_.value(0, 4);
  ptx::Opcode move = opcode_of(Op::Mov, Type::U32);
  for (uint32_t w = 0; w < size / 4; ++w) emit_arithmetic(move, words[w], zero);
  const uint32_t wanted = source(last, ignores ? Type::Pred : Type::U32);
  const uint32_t whole =
      ignores ? wanted
              : compare(ptx::Comparison::Ge, wanted, registers_.value(size, 4));
  const size_t guard = code_.steps.size();
  emit(ignores ? Control::GuardNegated : Control::Guard).a = whole;
  load_copied(instruction.source_address, form, words);
  emit(Control::Unguard);
  code_.steps[guard].b = static_cast<uint32_t>(code_.steps.size() - guard);
  if (ignores || last.kind == Kind::Immediate) {
    if (ignores || last.bits == 0 || last.bits >= size) return;
  }
  // Lanes that have all of it want nothing more.
  const uint32_t rest = registers_.scratch(scratch_used_++, 4);
  ptx::Opcode select = opcode_of(Op::Selp, Type::U32);
  if (!emit_arithmetic(select, rest, zero, wanted)) return;
  code_.steps.back().c = whole;
  for (uint32_t i = 0; i + 1 < size; ++i) {
    load_copied_byte(instruction.source_address, i, rest, words[i / 4]);
  }
}

void Lowering::lower_copy(const Instruction& instruction) {
  const Operand& amount = instruction.sources[0];
  const uint64_t size = amount.bits;
  if (amount.kind != Kind::Immediate || (size != 4 && size != 8 && size != 16)) {
    return mark_unsupported();
  }
  std::array<uint32_t, 4> words = {};
  for (uint32_t w = 0; w < size / 4; ++w) words[w] = registers_.scratch(980 + w, 4);
  const auto bytes = static_cast<uint32_t>(size);
  if (instruction.sources.size() > 1) {
    load_part(instruction, bytes, words);
  } else {
    load_copied(instruction.source_address,
                form_of_copy(ptx::Space::Global, MemoryForm::Kind::Load, bytes), words);
  }
  MemoryForm form = form_of_copy(ptx::Space::Shared, MemoryForm::Kind::Store, bytes);
  int64_t offset = 0;
  const uint32_t address = address_row(instruction.address, form, offset);
  Step& step = emit(Control::StartCopy);
  step.a = address;
  step.immediate = offset;
  step.b = words[0];
  step.c = words[1];
  step.d = words[2];
  step.d2 = words[3];
  step.e = static_cast<uint32_t>(code_.accesses.size());
  code_.accesses.push_back(form);
  if (checks_ & kRaceChecks) note_source(instruction);
}

void Lowering::note_source(const Instruction& instruction) {
  MemoryForm form;
  int64_t offset = 0;
  const uint32_t address = address_row(instruction.source_address, form, offset);
  const bool part = instruction.sources.size() > 1;
  const bool ignores =
      part && instruction.sources[1].kind == Kind::Register &&
      registers_.declared(instruction.sources[1].index).type == Type::Pred;
  const uint32_t bytes =
      part ? source(instruction.sources[1], ignores ? Type::Pred : Type::U32) : kNoRow;
  Step& step = emit(Control::NoteSource);
  step.a = address;
  step.immediate = offset;
  step.b = bytes;
  step.d = ignores ? 1 : 0;
}

void Lowering::check_sources(const MemoryForm& form, uint32_t address, int64_t offset) {
  const bool reaches =
      form.space == ptx::Space::Global || form.space == ptx::Space::Generic;
  if (!copies_ || !reaches || !(checks_ & kRaceChecks)) return;
  Step& step = emit(Control::CheckSources);
  step.a = address;
  step.immediate = offset;
  step.e = static_cast<uint32_t>(code_.accesses.size());  // the store's, made next
}

// next_copy, then a store for each size, each followed by the way back.
void Lowering::lower_copy_wait(const Instruction& instruction) {
  const bool all = instruction.sources.empty();
  const uint32_t kept = all ? kNoRow : source(instruction.sources[0], Type::U32);
  const uint32_t address = registers_.scratch(985, 8);
  std::array<uint32_t, 4> words = {};
  for (uint32_t w = 0; w < 4; ++w) words[w] = registers_.scratch(980 + w, 4);
  const size_t start = code_.steps.size();
  Step& first = emit(Control::NextCopy);
  first.a = kept;
  first.b = words[0];
  first.c = words[1];
  first.d = address;
  first.d2 = words[2];
  first.e = words[3];
  uint64_t ways = 0;
  int shift = 0;
  for (uint32_t size : {16u, 8u, 4u}) {
    ways |= (code_.steps.size() - start) << shift;
    shift += 16;
    Step& store = emit_access(
        form_of_copy(ptx::Space::Shared, MemoryForm::Kind::Store, size), address);
    store.b = words[0];
    store.c = words[1];
    store.d = words[2];
    store.d2 = words[3];
    probe_access(false);
    const size_t back = code_.steps.size() - start;
    emit(Control::AgainCopy).b = static_cast<uint32_t>(back);
  }
  ways |= (code_.steps.size() - start) << shift;
  code_.steps[start].immediate = static_cast<int64_t>(ways);
}

}  // namespace minitorch::emulator

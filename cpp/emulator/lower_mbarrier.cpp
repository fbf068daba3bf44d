// Owns the lowering of mbarrier instructions. Must not know what they do to the phases.
#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

namespace {

Control control_of(Op op) {
  switch (op) {
    case Op::MbarrierInit:
      return Control::MbarrierInit;
    case Op::MbarrierInval:
      return Control::MbarrierInval;
    case Op::CpAsyncArrive:
    case Op::CpAsyncArriveNoinc:
      return Control::CopyArrive;
    default:
      return ptx::is_mbarrier_arrival(op) ? Control::MbarrierArrive
                                          : Control::MbarrierTest;
  }
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

void Lowering::lower_mbarrier(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const Control control = control_of(opcode.op);
  const Operand& base = instruction.address.base;
  MemoryForm form = form_of(instruction);
  form.kind = kind_of(control);
  form.ordered = form.kind == MemoryForm::Kind::Load;
  form.scope = ptx::Scope::Cta;
  form.opaque = true;
  int64_t offset = 0;
  const uint32_t address = address_row(instruction.address, form, offset);
  uint32_t flags = flags_of(opcode);
  if (form.space == ptx::Space::Generic && base.kind != Kind::Variable) {
    flags |= kMbarrierGeneric;
  }
  form.space = ptx::Space::Shared;
  const bool tests = control == Control::MbarrierTest;
  const auto& from = instruction.sources;
  const Type first = tests && !(flags & kMbarrierParity) ? Type::B64 : Type::U32;
  const uint32_t operand = from.empty() ? kNoRow : source(from[0], first);
  const auto& to = instruction.destinations;
  uint32_t d = 0;
  if (!to.empty()) d = result(to[0], tests ? Type::Pred : Type::B64);
  if (tests) emit(Control::SpinHint).immediate = kPollCost;
  Step& step = emit(control);
  step.a = address;
  step.immediate = offset;
  step.b = operand;
  step.c = flags;
  step.d = d;
  step.e = static_cast<uint32_t>(code_.accesses.size());
  code_.accesses.push_back(form);
}

void Lowering::lower_pending_count(const Instruction& instruction) {
  const Operand& to = instruction.destinations[0];
  const uint32_t state = source(instruction.sources[0], Type::B64);
  Step& step = emit(Control::MbarrierPending);
  step.a = state;
  step.d = result(to, Type::U32);
  finish_result(to, Type::U32);
}

}  // namespace minitorch::emulator

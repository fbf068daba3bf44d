// Owns the steps that ask for values that nobody gave where values are used: addresses,
// branches, stores, calls. Must not know how shadows are computed.
#include <algorithm>

#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Space;
using ptx::Type;
using Kind = ptx::Operand::Kind;

/// The rows of those operands that may hold poison, as they are declared.
PoisonForm Lowering::shadows_of(const std::vector<Operand>& operands,
                                uint32_t rows[4]) {
  PoisonForm form;
  std::fill_n(form.width, 4, kNotThere);
  size_t count = 0;
  for (const Operand& operand : operands) {
    if (!poison_.may_hold(operand) || count == 4) continue;
    form.width[count] = static_cast<uint8_t>(registers_.lane_bytes(operand.index));
    rows[count++] = registers_.shadow(operand.index);
    form.origins |= poison_.of(operand);
  }
  return form;
}

void Lowering::use_poison(PoisonUse use, const std::vector<Operand>& operands) {
  uint32_t rows[4] = {};
  PoisonForm form = shadows_of(operands, rows);
  if (form.origins == 0) return;
  form.use = static_cast<uint8_t>(use);
  Step& step = emit_poison(PoisonStep::Use, form);
  step.a = rows[0];
  step.b = rows[1];
  step.c = rows[2];
  step.e = rows[3];
}

/// Stored or passed on: only what is wholly poisoned counts.
void Lowering::use_whole(PoisonUse use, const std::vector<Operand>& values, Type type) {
  if (values.empty() || values.size() > 4) return;
  PoisonForm form;
  std::fill_n(form.width, 4, kNotThere);
  uint32_t rows[4] = {};
  for (size_t i = 0; i < values.size(); ++i) {
    if (!poison_.may_hold(values[i])) return;
    rows[i] = shadow_source(values[i], type);
    form.width[i] = static_cast<uint8_t>(row_bytes(type));
    form.origins |= poison_.of(values[i]);
  }
  form.use = static_cast<uint8_t>(use);
  form.to = static_cast<uint8_t>(ptx::size_of(type));
  Step& step = emit_poison(PoisonStep::Use, form);
  step.a = rows[0];
  step.b = rows[1];
  step.c = rows[2];
  step.e = rows[3];
}

void Lowering::poison_guard(const Instruction& instruction) {
  if (!follows_poison_ || instruction.guard == ptx::kNone) return;
  Operand guard;
  guard.kind = Kind::Register;
  guard.index = instruction.guard;
  use_poison(PoisonUse::Branch, {guard});
}

void Lowering::poison_operands(const Instruction& instruction) {
  const Operand& base = instruction.address.base;
  use_poison(PoisonUse::Address, {base, instruction.source_address.base});
  const ptx::Opcode& opcode = instruction.opcode;
  if (ptx::is_mbarrier(opcode.op)) {
    return use_poison(PoisonUse::Exchange, instruction.sources);
  }
  switch (opcode.op) {
    case Op::St:
      if (opcode.space == Space::Param) {
        const bool argument =
            instruction.parameter_kind == Instruction::ParameterKind::CallArgument;
        // Of a struct passed by value, parts may well be unused.
        const bool plain =
            instruction.sources.size() == 1 && instruction.parameter_offset == 0;
        if (argument && plain) {
          use_whole(PoisonUse::Argument, instruction.sources, opcode.type);
        }
      } else if (!poison_.tracks_local ||
                 (opcode.space != Space::Local && opcode.space != Space::Generic)) {
        use_whole(PoisonUse::Store, instruction.sources, opcode.type);
      }
      return;
    case Op::Atom:
    case Op::Red:
      return use_poison(PoisonUse::Exchange, instruction.sources);
    case Op::BrxIdx:
    case Op::Call:
      return use_poison(PoisonUse::Branch, instruction.sources);
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Barrier:
    case Op::BarrierRed:
    case Op::BarWarpSync:
      return use_poison(PoisonUse::Exchange, instruction.sources);
    case Op::Shfl:
      return use_poison(PoisonUse::Exchange,
                        {instruction.sources.begin() + 1, instruction.sources.end()});
    default:
      return;
  }
}

}  // namespace minitorch::emulator

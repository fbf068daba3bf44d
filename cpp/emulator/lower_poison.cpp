// Owns the steps that instrumentation puts before an instruction to follow values that
// nobody gave. Must not know how shadows are computed.
#include <algorithm>

#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Space;
using ptx::Type;
using Kind = ptx::Operand::Kind;

namespace {

/// Sources whose bits go to the result as they are; the others steer. 0: no such
/// instruction.
uint32_t moved_sources(const ptx::Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  switch (opcode.op) {
    case Op::Mov:
    case Op::Pack:
    case Op::Unpack:
    case Op::Shl:
    case Op::Shr:
    case Op::Bfe:
    case Op::Brev:
      return 1u | (opcode.op == Op::Pack ? 0xeu : 0);
    case Op::Cvt: {
      const bool plain = !opcode.sat && !ptx::is_float(opcode.type) &&
                         !ptx::is_float(opcode.source_type);
      return plain ? 1u : 0;
    }
    case Op::Prmt:
    case Op::Shf:
    case Op::Bfi:
      return 3u;
    default:
      return 0;
  }
}

bool adds_up(const ptx::Opcode& opcode) {
  const bool kind = opcode.op == Op::Add || opcode.op == Op::Sub ||
                    opcode.op == Op::Mul || opcode.op == Op::Mad;
  const bool low = opcode.part == ptx::Part::None || opcode.part == ptx::Part::Low;
  return kind && low && !ptx::is_float(opcode.type) && !opcode.sat;
}

bool same_register(const ptx::Instruction& instruction) {
  const auto& from = instruction.sources;
  return from.size() == 2 && from[0].kind == Kind::Register &&
         from[1].kind == Kind::Register && from[0].index == from[1].index;
}

uint8_t width_of(Type type) { return static_cast<uint8_t>(row_bytes(type)); }

}  // namespace

uint32_t Lowering::shadow_source(const Operand& operand, Type type) {
  in_shadow_ = true;
  const uint32_t row = source(operand, type);
  in_shadow_ = false;
  return row;
}

Step& Lowering::emit_poison(PoisonStep kind, const PoisonForm& form) {
  Step& step = emit(find_poison_step(kind));
  step.immediate = form.packed();
  return step;
}

void Lowering::emit_poison_of(const Instruction& instruction, PoisonStep kind,
                              const PoisonForm& form,
                              const std::array<uint32_t, 4>& rows) {
  const Operand& to = instruction.destinations[0];
  const Type type = instruction.opcode.type;
  in_shadow_ = true;
  const uint32_t d = result(to, type);
  Step& step = emit_poison(kind, form);
  step.a = rows[0];
  step.b = rows[1];
  step.c = rows[2];
  step.e = rows[3];
  step.d = d;
  finish_result(to, type);
  in_shadow_ = false;
}

void Lowering::define(const Operand& operand) {
  if (!poison_.may_hold(operand)) return;
  PoisonForm form;
  std::fill_n(form.width, 4, kNotThere);
  form.to = static_cast<uint8_t>(registers_.lane_bytes(operand.index));
  emit_poison(PoisonStep::Any, form).d = registers_.shadow(operand.index);
}

void Lowering::poison_logic(const Instruction& instruction) {
  const auto& from = instruction.sources;
  const Type type = instruction.opcode.type;
  PoisonForm form;
  form.to = width_of(type);
  form.negated = static_cast<uint8_t>(from[0].negated | from[1].negated << 1);
  Operand plain[2] = {from[0], from[1]};
  plain[0].negated = plain[1].negated = false;
  const uint32_t a = shadow_source(from[0], type), b = shadow_source(from[1], type);
  const uint32_t c = source(plain[0], type), e = source(plain[1], type);
  const bool conjunction = instruction.opcode.op == Op::And;
  emit_poison_of(instruction, conjunction ? PoisonStep::And : PoisonStep::Or, form,
                 {a, b, c, e});
}

void Lowering::poison_select(const Instruction& instruction) {
  const auto& from = instruction.sources;
  const Type type = instruction.opcode.type;
  PoisonForm form;
  std::fill_n(form.width, 4, kNotThere);
  form.to = width_of(type);
  Operand predicate = from[2];
  form.negated = predicate.negated;
  predicate.negated = false;
  const uint32_t a = shadow_source(from[0], type), b = shadow_source(from[1], type);
  const uint32_t c = source(predicate, Type::Pred);
  uint32_t e = 0;
  if (poison_.may_hold(predicate)) {
    form.width[3] = 0;
    e = registers_.shadow(predicate.index);
  }
  emit_poison_of(instruction, PoisonStep::Select, form, {a, b, c, e});
}

void Lowering::poison_any(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const auto& sources = instruction.sources;
  for (const Operand& to : instruction.destinations) {
    if (!poison_.may_hold(to)) continue;
    const uint32_t d = registers_.shadow(to.index);
    const auto width = static_cast<uint8_t>(registers_.lane_bytes(to.index));
    PoisonStep kind = PoisonStep::Any;
    if (adds_up(opcode)) kind = PoisonStep::Upward;
    if (opcode.op == Op::Xor || opcode.op == Op::Not || opcode.op == Op::Cvta) {
      kind = PoisonStep::Merge;
    }
    const bool nothing =
        same_register(instruction) && (opcode.op == Op::Xor || opcode.op == Op::Sub);
    for (size_t first = 0; first == 0 || first < sources.size(); first += 3) {
      const size_t end = std::min(sources.size(), first + 3);
      std::vector<Operand> some(sources.begin() + static_cast<std::ptrdiff_t>(first),
                                sources.begin() + static_cast<std::ptrdiff_t>(end));
      if (nothing) some.clear();
      if (first > 0) some.push_back(to);  // adds to what is there
      uint32_t rows[4] = {};
      PoisonForm form = shadows_of(some, rows);
      form.to = width;
      Step& step = emit_poison(kind, form);
      step.a = rows[0];
      step.b = rows[1];
      step.c = rows[2];
      step.e = rows[3];
      step.d = d;
    }
  }
}

void Lowering::poison(const Instruction& instruction) {
  poison_operands(instruction);
  const auto& to = instruction.destinations;
  const bool reached = std::any_of(to.begin(), to.end(), [&](const Operand& operand) {
    return poison_.may_hold(operand);
  });
  const ptx::Opcode& opcode = instruction.opcode;
  if (!reached || opcode.op == Op::Shfl) return;  // a shuffle brings its own
  const bool loads = opcode.op == Op::Ld && poison_.tracks_local &&
                     (opcode.space == Space::Local || opcode.space == Space::Generic);
  if (loads) return;  // poison_load
  if (!carries_poison(instruction)) {
    for (const Operand& operand : to) define(operand);
    return;
  }
  const auto& from = instruction.sources;
  const uint32_t moved = moved_sources(instruction);
  uint32_t steering = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool poisoned = poison_.may_hold(from[i]);
    if (poisoned && i < 32 && !(moved >> i & 1)) steering |= 1u << i;
  }
  if (moved != 0 && steering == 0) return lower_arithmetic(instruction, moved);
  const bool logic = opcode.op == Op::And || opcode.op == Op::Or;
  if (logic) return poison_logic(instruction);
  if (opcode.op == Op::Selp) return poison_select(instruction);
  poison_any(instruction);
}

void Lowering::poison_load(const Instruction& instruction) {
  if (!follows_poison_ || !poison_.tracks_local) return;
  const ptx::Opcode& opcode = instruction.opcode;
  const Step access = code_.steps.back();
  const HandlerPair handlers =
      engine_.probe(Probe::LocalPoison, code_.accesses[access.e]);
  if (!handlers.full) return;
  code_.steps.pop_back();
  in_shadow_ = true;
  uint32_t rows[4] = {};
  const auto& to = instruction.destinations;
  for (size_t i = 0; i < to.size(); ++i) {
    rows[i] = to[i].kind == Kind::Register
                  ? result(to[i], opcode.type)
                  : registers_.scratch(980 + static_cast<uint32_t>(i),
                                       row_bytes(opcode.type));
  }
  Step& shadow = code_.steps.emplace_back(access);
  shadow.run[0] = handlers.full;
  shadow.run[1] = handlers.masked;
  shadow.d = rows[0];
  shadow.d2 = rows[1];
  shadow.b = rows[2];
  shadow.c = rows[3];
  for (const Operand& operand : to) finish_result(operand, opcode.type);
  in_shadow_ = false;
  code_.steps.push_back(access);
}

void Lowering::poison_store(const Instruction& instruction) {
  if (!follows_poison_) return;
  const Step access = code_.steps.back();
  const HandlerPair handlers =
      engine_.probe(Probe::LocalPoison, code_.accesses[access.e]);
  const Space space = instruction.opcode.space;
  const auto& from = instruction.sources;
  const bool poisoned = std::any_of(from.begin(), from.end(), [&](const Operand& each) {
    return poison_.may_hold(each);
  });
  const bool local = poison_.tracks_local && handlers.full;
  const bool global = poisoned && (space == Space::Global || space == Space::Generic);
  if (!local && !global) return;
  code_.steps.pop_back();
  uint32_t rows[4] = {};
  for (size_t i = 0; i < from.size(); ++i) {
    rows[i] = shadow_source(from[i], instruction.opcode.type);
  }
  Step shadow = access;
  shadow.b = rows[0];
  shadow.c = rows[1];
  shadow.d = rows[2];
  shadow.d2 = rows[3];
  if (local) {
    shadow.run[0] = handlers.full;
    shadow.run[1] = handlers.masked;
    code_.steps.push_back(shadow);
  }
  code_.steps.push_back(access);
  if (!global) return;
  shadow.run[0] = shadow.run[1] = find_poison_step(PoisonStep::Forget).full;
  code_.steps.push_back(shadow);
}

}  // namespace minitorch::emulator

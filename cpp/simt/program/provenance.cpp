#include "simt/program/provenance.h"

namespace minitorch::simt {
namespace {

using Base = Provenance::Base;
using Kind = ptx::Operand::Kind;
using ptx::Linear;
using ptx::Op;

constexpr Provenance kNothing = {Base::None, 0};
constexpr Provenance kUnknown = {Base::Unknown, 0};

Provenance joined(const Provenance& a, const Provenance& b) {
  if (a.base == Base::NotSeen) return b;
  if (b.base == Base::NotSeen || a == b) return a;
  return kUnknown;
}

/// The sum of two values: one base and any number.
Provenance sum(const Provenance& a, const Provenance& b) {
  if (a.base == Base::Unknown || b.base == Base::Unknown) return kUnknown;
  if (a.base == Base::NotSeen || b.base == Base::NotSeen) return {};
  if (a == kNothing) return b;
  return b == kNothing ? a : kUnknown;
}

class Flow {
 public:
  explicit Flow(const ptx::Function& function)
      : function_(function), registers_(function.registers.size()) {
    for (uint32_t reg : function.maybe_undefined) registers_[reg] = kNothing;
  }

  std::vector<Provenance> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction& instruction : function_.instructions) {
        const Provenance made = result(instruction);
        for (const ptx::Operand& to : instruction.destinations) {
          if (to.kind != Kind::Register) continue;
          const Provenance now = joined(registers_[to.index], made);
          changed |= now != registers_[to.index];
          registers_[to.index] = now;
        }
      }
    }
    return registers_;
  }

 private:
  Provenance of(const ptx::Operand& operand) const {
    return provenance_of(registers_, operand);
  }

  /// Not derived from a base, as far as has been seen.
  bool is_number(const ptx::Operand& operand) const {
    return of(operand).base == Base::None || of(operand).base == Base::NotSeen;
  }

  /// What is made of sources in a way that keeps no base.
  Provenance other(const ptx::Instruction& instruction) const {
    Provenance made = kNothing;
    for (const ptx::Operand& from : instruction.sources) {
      const Provenance part = of(from);
      if (part.known() || part.base == Base::Unknown) return kUnknown;
      if (part.base == Base::NotSeen) made = {};
    }
    return made;
  }

  Provenance loaded(const ptx::Instruction& instruction) const {
    using ParameterKind = ptx::Instruction::ParameterKind;
    const bool parameter =
        function_.entry && instruction.opcode.space == ptx::Space::Param &&
        instruction.parameter_kind == ParameterKind::Own &&
        ptx::size_of(instruction.opcode.type) == 8 && instruction.opcode.vector == 1;
    if (!parameter) return kNothing;
    return {Base::Parameter, instruction.parameter_offset +
                                 static_cast<uint32_t>(instruction.address.offset)};
  }

  Provenance result(const ptx::Instruction& instruction) const {
    const auto& from = instruction.sources;
    const Op op = instruction.opcode.op;
    if (op == Op::Ld) return loaded(instruction);
    if (op == Op::Cvta) return of(from[0]);
    if (op == Op::Selp) return joined(of(from[0]), of(from[1]));
    switch (ptx::facts(op).linear) {
      case Linear::Copy:
        return of(from[0]);
      case Linear::Convert:
        return ptx::is_float(instruction.opcode.source_type) ? other(instruction)
                                                             : of(from[0]);
      case Linear::Sum:
        return sum(of(from[0]), of(from[1]));
      case Linear::Difference:
        if (of(from[1]).base == Base::NotSeen) return {};
        return of(from[1]) == kNothing ? of(from[0]) : other(instruction);
      case Linear::ProductSum:
        if (!is_number(from[0]) || !is_number(from[1])) return other(instruction);
        return of(from[2]);
      case Linear::No:
      case Linear::Product:
      case Linear::Shift:
        return other(instruction);
    }
    return other(instruction);
  }

  const ptx::Function& function_;
  std::vector<Provenance> registers_;
};

}  // namespace

std::vector<Provenance> find_provenance(const ptx::Function& function) {
  return Flow(function).run();
}

Provenance provenance_of(const std::vector<Provenance>& registers,
                         const ptx::Operand& base) {
  if (base.kind == Kind::Register) return registers[base.index];
  if (base.kind == Kind::Variable) return {Base::Variable, base.index};
  if (base.kind == Kind::Immediate && base.index != ptx::kNone)
    return {Base::Own, base.index};
  return kNothing;
}

}  // namespace minitorch::simt

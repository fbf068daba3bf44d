// Owns where the probes that record a trace stand. Must not know what they record.
#include "emulator/lowering.h"

namespace minitorch::emulator {

using Kind = ptx::Operand::Kind;

void Lowering::trace_step(const Instruction& instruction) {
  if (!traces() || instruction.only_checks) return;
  uint32_t number = instruction_;
  for (uint32_t i = 0; i < code_.index; ++i) {
    number += static_cast<uint32_t>(module_.module->functions[i].instructions.size());
  }
  const bool guarded =
      instruction.guard != ptx::kNone && instruction.opcode.op != ptx::Op::Bra;
  Step& step = emit(engine_.probe(Probe::TraceStep, MemoryForm{}));
  step.a = guarded ? registers_.row(instruction.guard) : kNoRow;
  step.b = instruction.guard_negated ? 1 : 0;
  step.e = number;
}

void Lowering::trace_results(const Instruction& instruction, bool accesses) {
  if (!traces() || instruction.only_checks) return;
  if (accesses) emit(engine_.probe(Probe::TraceValues, MemoryForm{}));
  uint32_t first = 0;
  for (uint32_t i = 0; i < code_.index; ++i) {
    first += static_cast<uint32_t>(module_.module->functions[i].registers.size());
  }
  for (const Operand& to : instruction.destinations) {
    if (to.kind != Kind::Register) continue;
    Step& step = emit(engine_.probe(Probe::TraceResult, MemoryForm{}));
    step.a = registers_.row(to.index);
    step.b = registers_.lane_bytes(to.index);
    step.e = first + to.index;
  }
}

}  // namespace minitorch::emulator

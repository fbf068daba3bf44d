// Owns where probes stand in a program. Must not know what they look for.
#include "cuda_abi/inspect.h"
#include "emulator/lowering.h"
#include "emulator/probe.h"

namespace minitorch::emulator {
namespace {

constexpr ProbeRule kRules[] = {
    {Probe::Uninitialised, ProbePlace::Access, MtCheck_UninitGlobal},
    {Probe::Race, ProbePlace::Access, kRaceChecks},
    {Probe::TraceAccess, ProbePlace::Access, MtCheck_Trace},
};

}  // namespace

uint32_t probing_bits() {
  // Those of lower_poison.cpp and instrument_*.cpp, and the rules'.
  uint32_t bits = MtCheck_UninitLocal | MtCheck_Counters | MtCheck_Trace;
  for (const ProbeRule& rule : kRules) bits |= rule.wanted_by;
  return bits;
}

void Lowering::probe_access() {
  const Step access = code_.steps.back();
  code_.steps.pop_back();
  for (const ProbeRule& rule : kRules) {
    if (rule.place != ProbePlace::Access || !(checks_ & rule.wanted_by)) continue;
    const HandlerPair handlers = engine_.probe(rule.probe, code_.accesses[access.e]);
    if (!handlers.full) continue;
    Step& probe = code_.steps.emplace_back(access);
    probe.run[0] = handlers.full;
    probe.run[1] = handlers.masked;
    if (rule.probe != Probe::TraceAccess) mark_access_probe();
  }
  count_access(access);
  code_.steps.push_back(access);
}

void Lowering::mark_access_probe() {
  access_probes_.insert(static_cast<uint32_t>(code_.steps.size() - 1));
}

void Lowering::probe(ProbePlace place, uint32_t row) {
  for (const ProbeRule& rule : kRules) {
    if (rule.place != place || !(checks_ & rule.wanted_by)) continue;
    const HandlerPair handlers = engine_.probe(rule.probe, MemoryForm{});
    if (handlers.full) emit(handlers).d = row;
  }
}

void Lowering::probe_result(const Instruction& instruction) {
  if (instruction.destinations.empty()) return;
  const Operand& to = instruction.destinations[0];
  if (to.kind != Operand::Kind::Register) return;
  probe(ProbePlace::Result, registers_.row(to.index));
}

}  // namespace minitorch::emulator

// Owns the probes that stand before an access: copies of its step (rows, offset, access
// number, instruction) with another handler. Must not know what they look for.
#include "emulator/lowering.h"
#include "emulator/observers/list.h"
#include "emulator/probe.h"

namespace minitorch::emulator {
namespace {

/// The probes that stand before accesses, and whose they are.
struct ProbeRule {
  Probe probe;
  ObserverId observer;
};

constexpr ProbeRule kRules[] = {
#define PROBE(name, finder, observer)
#define ACCESS_PROBE(name, finder, observer) {Probe::name, ObserverId::observer},
#include "emulator/observers/probes.inc"
#undef PROBE
};

}  // namespace

void Lowering::probe_access(bool races) {
  const Step access = code_.steps.back();
  code_.steps.pop_back();
  uint32_t uninitialised = ptx::kNone;  // the step that may pass over the next one
  for (const ProbeRule& rule : kRules) {
    if (!(checks_ & checks_of(rule.observer))) continue;
    if (rule.probe == Probe::Race && !races) continue;
    const bool lone = rule.probe == Probe::Race && lone_loads_[instruction_];
    const HandlerPair handlers =
        engine_.probe(lone ? Probe::LoneLoad : rule.probe, code_.accesses[access.e]);
    if (!handlers.full) continue;
    if (rule.probe == Probe::Race && uninitialised != ptx::kNone) {
      code_.steps[uninitialised].d2 = 1;
    }
    Step& probe = code_.steps.emplace_back(access);
    probe.run[0] = handlers.full;
    probe.run[1] = handlers.masked;
    if (rule.probe == Probe::Uninitialised) {
      probe.d2 = 0;
      uninitialised = static_cast<uint32_t>(code_.steps.size() - 1);
    }
    if (rule.probe != Probe::TraceAccess) mark_access_probe();
  }
  count_access(access);
  code_.steps.push_back(access);
}

void Lowering::mark_access_probe() {
  access_probes_.insert(static_cast<uint32_t>(code_.steps.size() - 1));
}

}  // namespace minitorch::emulator

// Owns where the probes that count stand, and which slots they have. Must not know what
// counters mean.
#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Op;
using Kind = ptx::Operand::Kind;

Step& Lowering::count(Probe probe, uint32_t slot) {
  Step& step = emit(engine_.probe(probe, MemoryForm{}));
  step.d2 = slot;
  return step;
}

void Lowering::count_run() {
  if (!counts()) return;
  CountPlan& plan = code_.counting;
  counted_.clear();
  const uint32_t slot = plan.take(2);
  if (!plan.runs.empty()) plan.runs.back().end = instruction_;
  const auto end = static_cast<uint32_t>(function_.instructions.size());
  plan.runs.push_back({instruction_, end, slot});
  count(Probe::CountRun, slot);
  mark_access_probe();
}

void Lowering::count_guard() {
  if (!counts()) return;
  const uint32_t slot = code_.counting.take(2);
  code_.counting.guards.push_back({instruction_, slot});
  count(Probe::CountRun, slot);
}

void Lowering::count_branch(Probe probe, uint32_t row) {
  if (!counts()) return;
  const uint32_t slot = code_.counting.take(1);
  code_.counting.branches.push_back({instruction_, slot});
  count(probe, slot).a = row;
}

void Lowering::forget_counted(const Instruction& instruction) {
  if (!counts()) return;
  for (const Operand& to : instruction.destinations) {
    if (to.kind != Kind::Register || !registers_.has_row(to.index)) continue;
    const uint32_t row = registers_.row(to.index);
    std::erase_if(counted_, [&](const auto& item) { return item.first.row == row; });
  }
}

namespace {

MtAccess access_of(MemoryForm::Kind kind) {
  if (kind == MemoryForm::Kind::Load) return MtAccess_Read;
  return kind == MemoryForm::Kind::Store ? MtAccess_Write : MtAccess_Atomic;
}

}  // namespace

// Accesses of one run whose addresses differ by whole periods of the banks or sectors
// take the same passes: the first is looked at for all of them.
bool Lowering::find_counted(const Step& access, const MemoryForm& form,
                            uint32_t* slot) {
  const Instruction& instruction = function_.instructions[instruction_];
  const Operand& base = instruction.address.base;
  const Op op = instruction.opcode.op;
  const bool plain = (op == Op::Ld || op == Op::St) &&
                     instruction.guard == ptx::kNone && !form.ordered &&
                     form.space != ptx::Space::Generic;
  const bool fixed =
      base.kind != Kind::Register || registers_.row(base.index) == access.a;
  const int64_t period = form.space == ptx::Space::Shared ? 4 : 32;
  const CountedAddress key = {access.a, form.space, form.size(),
                              ((access.immediate % period) + period) % period};
  if (!plain || !fixed) return false;
  const auto [at, fresh] = counted_.try_emplace(key, code_.counting.slots);
  *slot = at->second;
  return !fresh;
}

void Lowering::count_access(const Step& access) {
  if (!counts()) return;
  const MemoryForm& form = code_.accesses[access.e];
  CountPlan& plan = code_.counting;
  const bool waits_for_copies =
      function_.instructions[instruction_].opcode.op == Op::CpAsyncWait;
  const auto add = [&](uint32_t slot, MtSpace space) {
    const MtAccess kind = access_of(form.kind);
    // What cp.async copied is stored at the wait, by one of its accesses at a time.
    bool request = true;
    for (auto at = plan.accesses.rbegin(); at != plan.accesses.rend(); ++at) {
      if (waits_for_copies || at->instruction != instruction_) break;
      request &= at->space != space || at->kind != kind;
    }
    plan.accesses.push_back({instruction_, slot, space, kind, form.size(), request});
  };
  uint32_t slot = plan.slots;
  const bool known = find_counted(access, form, &slot);
  const bool generic = form.space == ptx::Space::Generic;
  if (!known) slot = plan.take(generic ? 12 : 4);
  if (generic) {
    add(slot, MtSpace_Global);
    add(slot + 4, MtSpace_Shared);
    add(slot + 8, MtSpace_Local);
  } else {
    add(slot, form.space == ptx::Space::Shared  ? MtSpace_Shared
              : form.space == ptx::Space::Local ? MtSpace_Local
              : form.space == ptx::Space::Const ? MtSpace_Const
                                                : MtSpace_Global);
  }
  const HandlerPair handlers = engine_.probe(Probe::CountAccess, form);
  if (known || !handlers.full) return;
  Step& probe = code_.steps.emplace_back(access);
  probe.run[0] = handlers.full;
  probe.run[1] = handlers.masked;
  probe.d2 = slot;
  mark_access_probe();
}

}  // namespace minitorch::emulator

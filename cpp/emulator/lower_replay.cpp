// Owns the steps of a kernel's blocks that follow from the first (replay_plan.h). Must
// not know how they are found or run.
#include <algorithm>

#include "emulator/code.h"
#include "emulator/lowering.h"
#include "emulator/replay_planner.h"

namespace minitorch::emulator {

using ptx::Instruction;
using ptx::Op;

namespace {

bool is_arithmetic(const Instruction& instruction, Isa isa) {
  switch (instruction.opcode.op) {
    case Op::Ld:
    case Op::St:
    case Op::Bra:
    case Op::Ret:
    case Op::Exit:
    case Op::Cvta:
    case Op::Nop:
    case Op::Prefetch:
    case Op::IndexCheck:
      return true;
    case Op::Div:
    case Op::Rem:
      if (!ptx::is_float(instruction.opcode.type)) return false;  // may be by zero
      break;
    default:
      break;
  }
  return !instruction.opcode.carry_in && !instruction.opcode.carry_out &&
         find_arithmetic(instruction.opcode, isa).full != nullptr;
}

}  // namespace

void Lowering::plan_replay() {
  if (!function_.entry || follows_poison_ || traces() || function_.uses_calls) return;
  const auto& all = function_.instructions;
  if (!std::all_of(all.begin(), all.end(), [&](const Instruction& instruction) {
        return is_arithmetic(instruction, engine_.isa);
      })) {
    return;
  }
  ReplayPlanner planner(function_, registers_);
  if (!planner.run()) return;
  ReplayPlan& plan = planner.plan;
  const Handler join = engine_.control(Control::Join).full;
  size_t accesses = 0;
  for (uint32_t at : planner.path) {
    for (uint32_t i = step_of_[at]; i < step_of_[at + 1] && !skipped_[at]; ++i) {
      const Step& step = code_.steps[i];
      if (access_probes_.count(i) || step.run[0] == join) continue;
      plan.steps.push_back(step);
      if (step.pattern == 0) continue;
      ReplayPlan::Access& access = plan.accesses[accesses++];
      access.number = step.e;
      access.instruction = step.instruction;
      access.pattern = step.pattern;
    }
  }
  code_.replay = std::make_shared<const ReplayPlan>(std::move(plan));
}

}  // namespace minitorch::emulator

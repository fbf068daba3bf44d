// Where the lanes of divergent branches come together.
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

bool leaves(const ptx::Instruction& instruction) {
  return instruction.guard == ptx::kNone &&
         ptx::facts(instruction.opcode.op).effect == ptx::Effect::Leave;
}

}  // namespace

void mark_joins(WarpProgram& program) {
  std::vector<bool> joins(program.instruction_count() + 1, false);
  for (const ptx::Instruction& instruction : program.function.instructions) {
    const uint32_t join = instruction.join;
    if (join == ptx::kNone || instruction.uniform) continue;
    // Lanes need not meet just to leave: those that are done have exited, and a barrier
    // no longer waits for them.
    joins[join] = !leaves(program.instruction(join));
  }
  for (uint32_t i = 0; i < program.instruction_count(); ++i) {
    std::vector<WarpOp>& ops = program.groups[i].ops;
    for (WarpOp& op : ops) {
      if (op.join != ptx::kNone && !joins[op.join]) op.join = ptx::kNone;
    }
    if (!joins[i]) continue;
    WarpOp marker;
    marker.control = Control::Join;
    marker.instruction = i;
    insert(ops, 0, marker);
  }
}

}  // namespace minitorch::simt

// What becomes of `@%p`: a branch has two ways, what moves a path is branched around,
// and all else runs under a mask.
#include "simt/program/op_builder.h"
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

WarpOp control_op(Control control, uint32_t instruction, Value predicate) {
  WarpOp op;
  op.control = control;
  op.instruction = instruction;
  if (predicate) op.sources = {predicate};
  return op;
}

void branch_by(WarpOp& jump, Value predicate, bool negated) {
  jump.control = negated ? Control::BranchNegated : Control::Branch;
  jump.sources = {predicate};
}

/// Branches where the guard does not hold, to a join marker behind the instruction.
void branch_around(std::vector<WarpOp>& ops, uint32_t at, Value predicate,
                   bool negated) {
  const Control control = negated ? Control::Branch : Control::BranchNegated;
  // The branch itself is no instruction: its run of instructions ends before it.
  WarpOp& skip = insert(ops, 0, control_op(control, at - 1, predicate));
  skip.around = true;
  ops.push_back(control_op(Control::Join, at + 1, {}));
}

}  // namespace

void apply_guards(WarpProgram& program) {
  for (uint32_t i = 0; i < program.instruction_count(); ++i) {
    const ptx::Instruction& instruction = program.instruction(i);
    WarpProgram::Group& group = program.groups[i];
    if (instruction.guard == ptx::kNone || group.needless) continue;
    const Value predicate = program.values.of(instruction.guard);
    const bool negated = instruction.guard_negated;
    if (instruction.opcode.op == ptx::Op::Bra) {
      branch_by(group.ops[0], predicate, negated);
    } else if (ptx::interrupts_path(instruction.opcode.op)) {
      branch_around(group.ops, i, predicate, negated);
    } else {
      const Control guard = negated ? Control::GuardNegated : Control::Guard;
      insert(group.ops, 0, control_op(guard, i, predicate));
      group.ops.push_back(control_op(Control::Unguard, i, {}));
    }
  }
}

}  // namespace minitorch::simt

#include "simt/program/passes/expand.h"

#include "simt/program/passes.h"
#include "simt/program/provenance.h"

namespace minitorch::simt {
namespace {

using ptx::Op;

void expand_one(OpBuilder& builder, const ptx::Instruction& instruction,
                const Bases& bases) {
  switch (instruction.opcode.op) {
    case Op::Unsupported:
      return builder.unsupported();
    case Op::Ld:
    case Op::LdU:
      return expand_load(builder, instruction, bases);
    case Op::St:
      return expand_store(builder, instruction, bases);
    case Op::Atom:
    case Op::Red:
      return expand_atomic(builder, instruction, bases);
    case Op::Bra:
      return expand_branch(builder, instruction);
    case Op::BrxIdx:
      return expand_jump_table(builder, instruction);
    case Op::Call:
      return expand_call(builder, instruction);
    case Op::Ret:
      return expand_leave(builder);
    case Op::Exit:
      builder.control(Control::Exit);
      return;
    case Op::Trap:
      builder.control(Control::Trap);
      return;
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierRed:
      return expand_barrier(builder, instruction);
    case Op::BarWarpSync:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Elect:
    case Op::Activemask:
      return expand_collective(builder, instruction);
    case Op::CpAsync:
      return expand_copy(builder, instruction, bases);
    case Op::CpAsyncCommit:
      builder.control(Control::CommitCopies);
      return;
    case Op::CpAsyncWait:
      return expand_copy_wait(builder, instruction);
    case Op::MbarrierInit:
    case Op::MbarrierInval:
    case Op::MbarrierArrive:
    case Op::MbarrierArrivePart:
    case Op::MbarrierDrop:
    case Op::MbarrierDropPart:
    case Op::MbarrierTest:
    case Op::MbarrierTestParity:
    case Op::MbarrierTry:
    case Op::MbarrierTryParity:
    case Op::CpAsyncArrive:
    case Op::CpAsyncArriveNoinc:
      return expand_mbarrier(builder, instruction, bases);
    case Op::MbarrierPending:
      return expand_pending_count(builder, instruction);
    case Op::Mma:
    case Op::WmmaMma:
      return expand_product(builder, instruction);
    case Op::WmmaLoad:
    case Op::WmmaStore:
      return expand_fragment_access(builder, instruction, bases);
    case Op::Ldmatrix:
      return expand_matrix_load(builder, instruction, bases);
    case Op::Movmatrix:
      return expand_transposition(builder, instruction);
    case Op::Membar:
    case Op::Fence:
      builder.control(Control::Fence).immediate =
          static_cast<int64_t>(instruction.opcode.scope);
      return;
    case Op::Nanosleep:
      builder.control(Control::SpinHint).immediate = kSpinCost;
      return;
    case Op::Cvta:
      return expand_address_conversion(builder, instruction);
    case Op::Isspacep:
      return expand_is_space(builder, instruction);
    case Op::IndexCheck:
      return expand_index_check(builder, instruction);
    case Op::Prefetch:
    case Op::Brkpt:
    case Op::Nop:
      return;
#define PTX_OP(...)
#define PTX_LANE(name, ...) case Op::name:
#include "ptx/opcodes.inc"
#undef PTX_LANE
#undef PTX_OP
      return expand_arithmetic(builder, instruction);
  }
}

}  // namespace

void expand(WarpProgram& program) {
  const Bases bases = find_provenance(program.function);
  const uint32_t count = program.instruction_count();
  for (uint32_t i = 0; i < count; ++i) {
    WarpProgram::Group& group = program.groups[i];
    if (group.needless) continue;
    OpBuilder builder(program, i, group.ops);
    expand_one(builder, program.instruction(i), bases);
  }
  program.expanded = true;
  // Falling off the end is leaving the function.
  OpBuilder end(program, count, program.groups[count].ops);
  expand_leave(end);
}

}  // namespace minitorch::simt

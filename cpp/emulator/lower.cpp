// Owns the frame of lowering: which functions, in which order, registers that are
// nothing but constants, guards, branch targets. Must not know single instructions.
#include <algorithm>

#include "emulator/barrier_intervals.h"
#include "emulator/code.h"
#include "emulator/lowering.h"
#include "ptx/matrix.h"

namespace minitorch::emulator {
namespace {

using ptx::Op;
using Kind = ptx::Operand::Kind;

bool is_dynamic(ptx::Special special) {
  return special >= ptx::Special::Clock && special <= ptx::Special::GlobalTimerHi;
}

/// Instructions that end or park a path: a guard becomes a branch around them.
bool moves_path(Op op) {
  switch (op) {
    case Op::Call:
    case Op::Ret:
    case Op::Exit:
    case Op::Trap:
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierRed:
    case Op::BarWarpSync:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Elect:
    case Op::BrxIdx:
    case Op::Unsupported:
    case Op::CpAsync:
    case Op::CpAsyncWait:
      return true;
    default:
      return ptx::is_matrix(op);
  }
}

bool leaves(const ptx::Instruction& instruction) {
  const Op op = instruction.opcode.op;
  return instruction.guard == ptx::kNone && (op == Op::Ret || op == Op::Exit);
}

}  // namespace

std::vector<bool> block_starts(const ptx::Function& function) {
  std::vector<bool> starts(function.instructions.size() + 1, false);
  for (const ptx::BasicBlock& block : function.blocks) starts[block.begin] = true;
  return starts;
}

Lowering::Lowering(const LoadedModule& module, const Engine& engine, uint32_t checks,
                   bool reads_local, FunctionCode& code)
    : module_(module),
      engine_(engine),
      checks_(checks),
      code_(code),
      function_(*code.function),
      registers_(module, code),
      provenance_(find_provenance(function_)),
      is_marker_(function_.instructions.size() + 1, false),
      is_address_(function_.registers.size(), false),
      aliased_(function_.registers.size(), false),
      skipped_(function_.instructions.size(), false),
      step_of_(function_.instructions.size() + 1, 0) {
  lone_loads_ = function_.entry && !function_.uses_calls && (checks & kRaceChecks)
                    ? find_lone_loads(function_)
                    : std::vector<bool>(function_.instructions.size(), false);
  const auto& functions = module.module->functions;
  copies_ = std::any_of(functions.begin(), functions.end(),
                        [](const ptx::Function& each) { return each.uses_copies; });
  if (!(checks & MtCheck_UninitLocal)) return;
  poison_ = find_poison(function_, reads_local);
  const auto& origins = poison_.origins;
  follows_poison_ = reads_local || std::any_of(origins.begin(), origins.end(),
                                               [](uint8_t bits) { return bits != 0; });
  code_.tracks_local = reads_local;
}

bool Lowering::make_alias(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const uint32_t reg = instruction.destinations[0].index;
  const uint32_t bytes = registers_.lane_bytes(reg);
  if (bytes == 0 || bytes != row_bytes(opcode.type)) return false;
  if (opcode.op == Op::Ld) {
    const bool narrow_signed =
        ptx::is_signed(opcode.type) &&
        ptx::size_of(opcode.type) < ptx::size_of(registers_.declared(reg).type);
    if (narrow_signed) return false;
    const uint32_t offset = instruction.parameter_offset +
                            static_cast<uint32_t>(instruction.address.offset);
    registers_.alias(
        reg, registers_.parameter(offset, ptx::size_of(opcode.type), bytes, false));
    return true;
  }
  const Operand& from = instruction.sources[0];
  if (from.kind == Kind::Register) {
    if (!aliased_[from.index] || registers_.lane_bytes(from.index) != bytes)
      return false;
    registers_.alias(reg, registers_.row(from.index));
    return true;
  }
  if (from.kind == Kind::Special && is_dynamic(from.special)) return false;
  registers_.alias(reg, registers_.constant(from, bytes));
  return true;
}

void Lowering::find_aliases() {
  std::vector<uint32_t> writes(function_.registers.size(), 0);
  for (const Instruction& instruction : function_.instructions) {
    for (const Operand& to : instruction.destinations) {
      if (to.kind == Kind::Register) ++writes[to.index];
    }
  }
  // A register that may be read before its only write has two values.
  for (uint32_t reg : function_.maybe_undefined) writes[reg] = 2;
  for (size_t i = 0; i < function_.instructions.size(); ++i) {
    const Instruction& instruction = function_.instructions[i];
    const ptx::Opcode& opcode = instruction.opcode;
    const bool plain_cvta =
        opcode.op == Op::Cvta &&
        (opcode.space == ptx::Space::Global || opcode.space == ptx::Space::Const);
    const bool parameter =
        opcode.op == Op::Ld && function_.entry && opcode.vector == 1 &&
        instruction.parameter_kind == Instruction::ParameterKind::Own;
    if (opcode.op != Op::Mov && !plain_cvta && !parameter) continue;
    if (instruction.guard != ptx::kNone) continue;
    const Operand& to = instruction.destinations[0];
    if (to.kind != Kind::Register || writes[to.index] != 1) continue;
    if (make_alias(instruction)) aliased_[to.index] = skipped_[i] = true;
  }
}

void Lowering::run() {
  code_.local_bytes = (function_.local_bytes + 15) / 16 * 16;
  for (uint32_t index : function_.own_variables) {
    const ptx::Variable& variable = module_.module->variables[index];
    if (variable.space != ptx::Space::Local) continue;
    code_.local_end = std::max(code_.local_end,
                               static_cast<uint32_t>(variable.offset + variable.size));
  }
  if (!function_.entry) code_.parameters = registers_.buffer(function_.parameter_bytes);
  code_.returns = registers_.buffer(function_.return_bytes);
  code_.arguments = registers_.buffer(function_.call_argument_bytes);
  code_.call_results = registers_.buffer(function_.call_return_bytes);
  find_aliases();
  for (const Instruction& instruction : function_.instructions) {
    // Lanes need not meet just to leave: those that are done have exited, and a barrier
    // no longer waits for them.
    const uint32_t join = instruction.join;
    if (join != ptx::kNone && !instruction.uniform) {
      is_marker_[join] = !leaves(function_.instructions[join]);
    }
    const Operand& base = instruction.address.base;
    if (base.kind == Kind::Register) is_address_[base.index] = true;
  }
  const std::vector<bool> starts = block_starts(function_);
  bool parted = false;  // lanes may have gone on one by one
  for (uint32_t i = 0; i < function_.instructions.size(); ++i) {
    instruction_ = i;
    scratch_used_ = 0;
    step_of_[i] = static_cast<uint32_t>(code_.steps.size());
    if (is_marker_[i]) emit(Control::Join);
    if (starts[i] || parted) count_run();
    const Instruction& instruction = function_.instructions[i];
    parted = moves_path(instruction.opcode.op);
    trace_step(instruction);
    if (skipped_[i]) {
      trace_results(instruction, false);
      continue;
    }
    poison_guard(instruction);
    if (instruction.guard == ptx::kNone || instruction.opcode.op == Op::Bra) {
      lower_observed(instruction);
    } else {
      lower_guarded(instruction);
    }
    forget_counted(instruction);
    clear_patterns(instruction);
  }
  // Falling off the end is leaving the function.
  instruction_ = static_cast<uint32_t>(function_.instructions.size());
  step_of_[instruction_] = static_cast<uint32_t>(code_.steps.size());
  emit(function_.entry ? Control::Exit : Control::Return);
  resolve_targets();
  set_pattern_slots();
  fuse_dots();
  plan_replay();
  registers_.finish();
}

void Lowering::lower_observed(const Instruction& instruction) {
  const size_t accesses = code_.accesses.size();
  lower(instruction);
  trace_results(instruction, code_.accesses.size() != accesses);
}

void Lowering::lower_guarded(const Instruction& instruction) {
  const uint32_t predicate = registers_.row(instruction.guard);
  const size_t start = code_.steps.size();
  const bool negated = instruction.guard_negated;
  if (moves_path(instruction.opcode.op)) {
    // Branch where the guard does not hold, to a join marker behind the instruction.
    emit(negated ? Control::Branch : Control::BranchNegated).a = predicate;
    count_guard();
    lower_observed(instruction);
    emit(Control::Join).instruction = instruction_ + 1;
    const uint32_t past = static_cast<uint32_t>(code_.steps.size() - 1 - start);
    code_.steps[start].b = code_.steps[start].c = past;
    code_.steps[start].d = instruction_ + 1;
    // The branch itself is no instruction: its run of instructions ends before it.
    code_.steps[start].instruction = instruction_ - 1;
    return;
  }
  emit(negated ? Control::GuardNegated : Control::Guard).a = predicate;
  count_guard();
  lower_observed(instruction);
  emit(Control::Unguard);
  code_.steps[start].b = static_cast<uint32_t>(code_.steps.size() - start);
}

void Lowering::clear_patterns(const Instruction& instruction) {
  const auto& to = instruction.destinations;
  for (size_t i = 1; i < to.size(); ++i) {
    if (to[i].kind != Kind::Register || !is_address_[to[i].index]) continue;
    emit(Control::ClearPattern).d = registers_.row(to[i].index);
  }
}

void Lowering::lower(const Instruction& instruction) {
  if (follows_poison_) poison(instruction);
  switch (instruction.opcode.op) {
    case Op::Unsupported:
      return mark_unsupported();
    case Op::Ld:
    case Op::LdU:
      return lower_load(instruction);
    case Op::St:
      return lower_store(instruction);
    case Op::Atom:
    case Op::Red:
      return lower_atomic(instruction);
    case Op::Bra:
      return lower_branch(instruction);
    case Op::BrxIdx:
      return lower_jump_table(instruction);
    case Op::Call:
      return lower_call(instruction);
    case Op::Ret:
      emit(function_.entry ? Control::Exit : Control::Return);
      return;
    case Op::Exit:
      emit(Control::Exit);
      return;
    case Op::Trap:
      emit(Control::Trap);
      return;
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierRed:
      return lower_barrier(instruction);
    case Op::BarWarpSync:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Elect:
    case Op::Activemask:
      return lower_collective(instruction);
    case Op::CpAsync:
      return lower_copy(instruction);
    case Op::CpAsyncCommit:
      emit(Control::CommitCopies);
      return;
    case Op::CpAsyncWait:
      return lower_copy_wait(instruction);
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
      return lower_mbarrier(instruction);
    case Op::MbarrierPending:
      return lower_pending_count(instruction);
    case Op::Mma:
    case Op::WmmaMma:
      return lower_product(instruction);
    case Op::WmmaLoad:
    case Op::WmmaStore:
      return lower_fragment_access(instruction);
    case Op::Ldmatrix:
      return lower_matrix_load(instruction);
    case Op::Movmatrix:
      return lower_transposition(instruction);
    case Op::Membar:
    case Op::Fence:
      emit(Control::Fence).immediate = static_cast<int64_t>(instruction.opcode.scope);
      return;
    case Op::Nanosleep:
      emit(Control::SpinHint).immediate = kSpinCost;
      return;
    case Op::Cvta:
      return lower_address_conversion(instruction);
    case Op::Isspacep:
      return lower_is_space(instruction);
    case Op::IndexCheck:
      return lower_index_check(instruction);
    case Op::Prefetch:
    case Op::Brkpt:
    case Op::Nop:
      return;
    default:
      return lower_arithmetic(instruction);
  }
}

void Lowering::resolve_targets() {
  for (const PendingBranch& branch : branches_) {
    Step& step = code_.steps[branch.step];
    step.b = step_of_[branch.target] - branch.step;
    step.d = branch.target;
    if (branch.join != ptx::kNone && is_marker_[branch.join]) {
      step.c = step_of_[branch.join] - branch.step;
    }
  }
  for (JumpTable& table : code_.tables) {
    for (uint32_t& target : table.steps) target = step_of_[target];
  }
}

void Lowering::set_pattern_slots() {
  // Only now are all address registers known.
  for (Step& step : code_.steps) {
    if (step.d != 0) step.clears_pattern = registers_.known_pattern(step.d);
  }
}

}  // namespace minitorch::emulator

// Owns the lowering of branches, calls, barriers and warp operations. Must not know how
// paths are scheduled.
#include <algorithm>
#include <string_view>

#include "emulator/lowering.h"
#include "emulator/memory.h"

namespace minitorch::emulator {

using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

namespace {

BarrierForm barrier_form(const ptx::Opcode& opcode) {
  if (opcode.op == Op::BarrierArrive) return BarrierForm::Arrive;
  if (opcode.op != Op::BarrierRed) return BarrierForm::Sync;
  switch (opcode.collective) {
    case ptx::Collective::Popc:
      return BarrierForm::Popc;
    case ptx::Collective::And:
      return BarrierForm::And;
    default:
      return BarrierForm::Or;
  }
}

}  // namespace

void Lowering::lower_branch(const Instruction& instruction) {
  const bool parts = instruction.guard != ptx::kNone && !instruction.uniform;
  if (parts) count_branch(Probe::CountBranch, registers_.row(instruction.guard));
  const uint32_t at = static_cast<uint32_t>(code_.steps.size());
  if (instruction.guard == ptx::kNone) {
    emit(Control::Jump);
  } else {
    const uint32_t predicate = registers_.row(instruction.guard);
    emit(instruction.guard_negated ? Control::BranchNegated : Control::Branch).a =
        predicate;
  }
  branches_.push_back({at, instruction.target, instruction.join});
}

void Lowering::lower_index_check(const Instruction& instruction) {
  IndexCheck check;
  const auto& from = instruction.sources;
  check.access = static_cast<uint32_t>(from[ptx::kIndexAccess].bits);
  check.space = static_cast<MtSpace>(from[ptx::kIndexSpace].bits);
  check.kind = static_cast<MtAccess>(from[ptx::kIndexKind].bits);
  for (size_t at = 0; at + ptx::kIndexSources <= from.size();
       at += ptx::kIndexSources) {
    check.dimensions.push_back(
        {static_cast<uint32_t>(from[at + ptx::kIndexDimension].bits),
         source(from[at + ptx::kIndexValue], Type::U64),
         source(from[at + ptx::kIndexExtent], Type::U64),
         source(from[at + ptx::kIndexAddress], Type::U64)});
  }
  for (const IndexCheck::Dimension& dimension : check.dimensions) {
    Step& step = emit(Control::CheckIndex);
    step.a = dimension.index;
    step.b = dimension.extent;
    step.e = static_cast<uint32_t>(code_.index_checks.size());
  }
  code_.index_checks.push_back(std::move(check));
}

void Lowering::lower_jump_table(const Instruction& instruction) {
  const uint32_t index = source(instruction.sources[0], Type::U32);
  if (!instruction.uniform) count_branch(Probe::CountJump, index);
  const uint32_t at = static_cast<uint32_t>(code_.steps.size());
  Step& step = emit(Control::JumpTable);
  step.a = index;
  step.e = static_cast<uint32_t>(code_.tables.size());
  JumpTable table;
  table.steps = table.instructions = instruction.targets;
  code_.tables.push_back(std::move(table));
  if (instruction.targets.empty()) return;
  branches_.push_back({at, instruction.targets[0], instruction.join});
}

void Lowering::lower_call(const Instruction& instruction) {
  if (instruction.target == ptx::kNone) {
    const uint32_t address = source(instruction.sources[0], Type::U64);
    emit(Control::CallIndirect).a = address;
    // Lanes that called different functions meet here.
    emit(Control::Join).instruction = instruction_ + 1;
    return;
  }
  const ptx::Function& callee = module_.module->functions[instruction.target];
  if (!callee.external) {
    emit(Control::Call).b = instruction.target;
    return;
  }
  const std::string_view name = callee.name;
  if (name == "vprintf") {
    emit(Control::CallVprintf);
  } else if (name == "malloc") {
    emit(Control::CallMalloc);
  } else if (name == "free") {
    emit(Control::CallFree);
  } else if (name == "__assertfail") {
    emit(Control::CallAssert);
  } else {
    mark_unsupported();
  }
}

void Lowering::lower_barrier(const Instruction& instruction) {
  const auto& from = instruction.sources;
  const bool reduces = instruction.opcode.op == Op::BarrierRed;
  const size_t numbers = from.size() - (reduces ? 1 : 0);
  const uint32_t id = source(from[0], Type::U32);
  const uint32_t count = numbers > 1 ? source(from[1], Type::U32) : kNoRow;
  const uint32_t predicate = reduces ? source(from.back(), Type::Pred) : 0;
  Step& step = emit(Control::Barrier);
  step.a = id;
  step.b = count;
  step.e = predicate;
  step.c = std::any_of(from.begin(), from.begin() + static_cast<ptrdiff_t>(numbers),
                       [](const Operand& each) { return each.kind == Kind::Register; });
  step.immediate = static_cast<int64_t>(barrier_form(instruction.opcode));
  if (!reduces) return;
  const Type type =
      instruction.opcode.collective == ptx::Collective::Popc ? Type::U32 : Type::Pred;
  step.d = result(instruction.destinations[0], type);
}

void Lowering::lower_collective(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const bool shadowed = follows_poison_ && opcode.op == Op::Shfl;
  const HandlerPair handlers =
      shadowed ? engine_.shadowed_shuffle(opcode.shuffle) : engine_.collective(opcode);
  if (!handlers.full) return mark_unsupported();
  const auto& from = instruction.sources;
  const Type first = opcode.op == Op::Vote ? Type::Pred : opcode.type;
  uint32_t rows[4] = {};
  for (size_t i = 0; i + 1 < from.size() && i < 3; ++i) {
    rows[i] = source(from[i], i == 0 ? first : Type::U32);
  }
  // The member mask is always the last source.
  const uint32_t members = from.empty() ? 0 : source(from.back(), Type::U32);
  const auto& to = instruction.destinations;
  const bool predicate = opcode.op == Op::Vote && opcode.type == Type::Pred;
  uint32_t d = 0, d2 = 0;
  if (!to.empty()) d = result(to[0], predicate ? Type::Pred : Type::U32);
  if (to.size() > 1 && to[1].kind == Kind::Register) d2 = result(to[1], Type::Pred);
  const uint32_t shadow = shadowed ? shadow_source(from[0], Type::U32) : 0;
  Step& step = emit(handlers);
  step.a = rows[0];
  step.b = rows[1];
  step.c = rows[2];
  step.e = members;
  step.d = d;
  step.d2 = d2;
  if (!shadowed) return;
  // The shuffle looks at the next step for the rows of the shadows.
  Step& pass = emit(find_poison_step(PoisonStep::Pass));
  pass.a = shadow;
  pass.d = registers_.shadow(to[0].index);
}

void Lowering::lower_is_space(const Instruction& instruction) {
  uint64_t window = 0;
  switch (instruction.opcode.space) {
    case ptx::Space::Shared:
      window = kSharedWindow;
      break;
    case ptx::Space::Local:
      window = kLocalWindow;
      break;
    case ptx::Space::Global:
      break;
    default:
      return mark_unsupported();
  }
  const uint32_t address = source(instruction.sources[0], Type::U64);
  Step& step = emit(Control::IsSpace);
  step.a = address;
  step.d = result(instruction.destinations[0], Type::Pred);
  step.immediate = static_cast<int64_t>(window >> 56);
}

}  // namespace minitorch::emulator

// The expansion of branches, calls, barriers and warp operations.
#include <algorithm>
#include <string_view>

#include "simt/program/passes/expand.h"

namespace minitorch::simt {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

// Under a guard, the next pass makes a branch of it.
void expand_branch(OpBuilder& builder, const Instruction& instruction) {
  WarpOp& op = builder.control(Control::Jump);
  op.target = instruction.target;
  op.join = instruction.join;
}

void expand_jump_table(OpBuilder& builder, const Instruction& instruction) {
  const Value index = builder.source(instruction.sources[0], Type::U32);
  auto& tables = builder.program.code.tables;
  WarpOp& op = builder.control(Control::JumpTable);
  op.sources = {index};
  op.number = static_cast<uint32_t>(tables.size());
  tables.push_back({instruction.targets, instruction.targets});
  if (instruction.targets.empty()) return;
  op.target = instruction.targets[0];
  op.join = instruction.join;
}

void expand_call(OpBuilder& builder, const Instruction& instruction) {
  const auto& functions = builder.program.module.module->functions;
  if (instruction.target == ptx::kNone) {
    const Value address = builder.source(instruction.sources[0], Type::U64);
    WarpOp& call = builder.control(Control::CallIndirect);
    call.sources = {address};
    // Lanes that called different functions meet here.
    const uint32_t next = call.instruction + 1;
    builder.control(Control::Join).instruction = next;
    return;
  }
  const ptx::Function& callee = functions[instruction.target];
  if (!callee.external) {
    builder.control(Control::Call).number = instruction.target;
    return;
  }
  const std::string_view name = callee.name;
  if (name == "vprintf") {
    builder.control(Control::CallVprintf);
  } else if (name == "malloc") {
    builder.control(Control::CallMalloc);
  } else if (name == "free") {
    builder.control(Control::CallFree);
  } else if (name == "__assertfail") {
    builder.control(Control::CallAssert);
  } else {
    builder.unsupported();
  }
}

void expand_leave(OpBuilder& builder) {
  builder.control(builder.program.function.entry ? Control::Exit : Control::Return);
}

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

void expand_barrier(OpBuilder& builder, const Instruction& instruction) {
  const auto& from = instruction.sources;
  const ptx::Opcode& opcode = instruction.opcode;
  const bool reduces = opcode.op == Op::BarrierRed;
  const size_t numbers = from.size() - (reduces ? 1 : 0);
  const Value id = builder.source(from[0], Type::U32);
  const Value count = numbers > 1 ? builder.source(from[1], Type::U32) : Value{};
  const Value predicate = reduces ? builder.source(from.back(), Type::Pred) : Value{};
  WarpOp& op = builder.control(Control::Barrier);
  op.sources = {id, count, predicate};
  // They may differ by lane.
  op.number =
      std::any_of(from.begin(), from.begin() + static_cast<ptrdiff_t>(numbers),
                  [](const Operand& each) { return each.kind == Kind::Register; });
  op.immediate = static_cast<int64_t>(barrier_form(opcode));
  if (!reduces) return;
  const bool counts = opcode.collective == ptx::Collective::Popc;
  op.results = {
      builder.result(instruction.destinations[0], counts ? Type::U32 : Type::Pred)};
}

void expand_collective(OpBuilder& builder, const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (!builder.program.engine.collective(opcode).full) return builder.unsupported();
  const auto& from = instruction.sources;
  const auto& to = instruction.destinations;
  const Type first = opcode.op == Op::Vote ? Type::Pred : opcode.type;
  std::vector<Value> sources(4), results;
  for (size_t i = 0; i + 1 < from.size() && i < 3; ++i) {
    sources[i] = builder.source(from[i], i == 0 ? first : Type::U32);
  }
  // The member mask is always the last source.
  if (!from.empty()) sources[3] = builder.source(from.back(), Type::U32);
  const bool predicate = opcode.op == Op::Vote && opcode.type == Type::Pred;
  if (!to.empty()) {
    results.push_back(builder.result(to[0], predicate ? Type::Pred : Type::U32));
  }
  if (to.size() > 1 && to[1].kind == Kind::Register) {
    results.push_back(builder.result(to[1], Type::Pred));
  }
  WarpOp& op = builder.collective(WarpOp::Kind::Collective, opcode);
  op.sources = std::move(sources);
  op.results = std::move(results);
}

// The check's row in the table gets the rows of its values from the operations.
void expand_index_check(OpBuilder& builder, const Instruction& instruction) {
  const auto& from = instruction.sources;
  auto& checks = builder.program.code.index_checks;
  IndexCheck check;
  check.access = static_cast<uint32_t>(from[ptx::kIndexAccess].bits);
  check.space = static_cast<MtSpace>(from[ptx::kIndexSpace].bits);
  check.kind = static_cast<MtAccess>(from[ptx::kIndexKind].bits);
  std::vector<WarpOp> tests;
  for (size_t at = 0; at + ptx::kIndexSources <= from.size();
       at += ptx::kIndexSources) {
    WarpOp op;
    op.control = Control::CheckIndex;
    op.element = static_cast<uint32_t>(check.dimensions.size());
    op.number = static_cast<uint32_t>(checks.size());
    op.sources = {builder.source(from[at + ptx::kIndexValue], Type::U64),
                  builder.source(from[at + ptx::kIndexExtent], Type::U64),
                  builder.source(from[at + ptx::kIndexAddress], Type::U64)};
    check.dimensions.push_back(
        {static_cast<uint32_t>(from[at + ptx::kIndexDimension].bits), 0, 0, 0});
    tests.push_back(std::move(op));
  }
  checks.push_back(std::move(check));
  for (WarpOp& test : tests) {
    WarpOp& op = builder.control(Control::CheckIndex);
    test.instruction = op.instruction;
    op = std::move(test);
  }
}

}  // namespace minitorch::simt

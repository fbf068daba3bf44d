#include "simt/program/warp_program.h"

#include <algorithm>

#include "ptx/matrix.h"

namespace minitorch::simt {

using ptx::Op;

WarpProgram::WarpProgram(const LoadedModule& loaded, const Engine& of, uint32_t bits,
                         bool local, FunctionCode& made)
    : module(loaded),
      engine(of),
      checks(bits),
      reads_local(local),
      function(*made.function),
      code(made),
      values(loaded, *made.function),
      groups(made.function->instructions.size() + 1) {
  poison = find_poison(function, (checks & MtCheck_UninitLocal) != 0, reads_local);
  follows_poison =
      reads_local || std::any_of(poison.origins.begin(), poison.origins.end(),
                                 [](uint8_t bits_of) { return bits_of != 0; });
}

std::vector<Value> definitions(const WarpOp& op) {
  const bool looks = op.kind == WarpOp::Kind::Probe && op.probe != Probe::LocalPoison;
  const bool names = op.kind == WarpOp::Kind::Definedness &&
                     (op.shadow == PoisonStep::Use || op.shadow == PoisonStep::Forget);
  if (looks || names) return {};
  return op.results;
}

bool is_access_probe(const WarpOp& op) {
  if (op.kind != WarpOp::Kind::Probe) return false;
  switch (op.probe) {
    case Probe::Uninitialised:
    case Probe::Race:
    case Probe::LoneLoad:
    case Probe::Footprint:
    case Probe::Sectors:
    case Probe::CountRun:
    case Probe::CountAccess:
      return true;
    case Probe::LocalPoison:
    case Probe::CountBranch:
    case Probe::CountJump:
    case Probe::TraceStep:
    case Probe::TraceAccess:
    case Probe::TraceValues:
    case Probe::TraceResult:
      return false;
  }
  return false;
}

std::vector<bool> block_starts(const ptx::Function& function) {
  std::vector<bool> starts(function.instructions.size() + 1, false);
  for (const ptx::BasicBlock& block : function.blocks) starts[block.begin] = true;
  return starts;
}

std::vector<uint32_t> count_reads(const ptx::Function& function) {
  std::vector<uint32_t> counts(function.registers.size(), 0);
  for (const ptx::Instruction& instruction : function.instructions) {
    for (const ptx::Operand& operand : instruction.sources) {
      if (operand.kind == ptx::Operand::Kind::Register) ++counts[operand.index];
    }
    for (const ptx::Address& address :
         {instruction.address, instruction.source_address}) {
      if (address.base.kind == ptx::Operand::Kind::Register)
        ++counts[address.base.index];
    }
    if (instruction.guard != ptx::kNone) ++counts[instruction.guard];
  }
  return counts;
}

bool is_guarded(const ptx::Instruction& instruction) {
  return instruction.guard != ptx::kNone && instruction.opcode.op != Op::Bra;
}

size_t entry_of(const std::vector<WarpOp>& ops, uint32_t instruction) {
  const bool joins = !ops.empty() && ops[0].is(Control::Join);
  return joins && ops[0].instruction == instruction ? 1 : 0;
}

size_t body_begin(const WarpProgram& program, uint32_t instruction) {
  const auto& ops = program.groups[instruction].ops;
  if (!is_guarded(program.instruction(instruction))) return entry_of(ops, instruction);
  const auto guard = std::find_if(ops.begin(), ops.end(), [](const WarpOp& op) {
    return op.is(Control::Guard) || op.is(Control::GuardNegated) ||
           op.is(Control::Branch) || op.is(Control::BranchNegated);
  });
  return static_cast<size_t>(guard - ops.begin()) + (guard == ops.end() ? 0 : 1);
}

size_t body_end(const WarpProgram& program, uint32_t instruction) {
  const size_t size = program.groups[instruction].ops.size();
  const bool closed = size > 0 && is_guarded(program.instruction(instruction));
  return closed ? size - 1 : size;
}

WarpOp& insert(std::vector<WarpOp>& ops, size_t at, WarpOp op) {
  return *ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at), std::move(op));
}

}  // namespace minitorch::simt

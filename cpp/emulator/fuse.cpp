// Owns the search for runs of {ld.shared.f32, ld.shared.f32, fma.rn.f32} that one step
// may execute. Must not know how it does.
#include "emulator/lowering.h"

namespace minitorch::emulator {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

bool is_load(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  return opcode.op == Op::Ld && opcode.space == ptx::Space::Shared &&
         opcode.type == Type::F32 && opcode.vector == 1 &&
         opcode.order == ptx::Order::Weak && instruction.guard == ptx::kNone &&
         instruction.destinations[0].kind == Kind::Register;
}

bool is_sum(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  return opcode.op == Op::Fma && opcode.type == Type::F32 && !opcode.ftz &&
         !opcode.sat && opcode.rounding == ptx::Rounding::Nearest &&
         instruction.guard == ptx::kNone &&
         instruction.destinations[0].kind == Kind::Register;
}

uint32_t result_of(const Instruction& instruction) {
  return instruction.destinations[0].index;
}

bool reads(const ptx::Operand& operand, uint32_t reg) {
  return operand.kind == Kind::Register && operand.index == reg;
}

std::vector<uint32_t> count_reads(const ptx::Function& function) {
  std::vector<uint32_t> counts(function.registers.size(), 0);
  for (const Instruction& instruction : function.instructions) {
    for (const ptx::Operand& operand : instruction.sources) {
      if (operand.kind == Kind::Register) ++counts[operand.index];
    }
    for (const ptx::Address& address :
         {instruction.address, instruction.source_address}) {
      if (address.base.kind == Kind::Register) ++counts[address.base.index];
    }
    if (instruction.guard != ptx::kNone) ++counts[instruction.guard];
  }
  return counts;
}

std::vector<bool> block_starts(const ptx::Function& function) {
  std::vector<bool> starts(function.instructions.size() + 1, false);
  for (const ptx::BasicBlock& block : function.blocks) starts[block.begin] = true;
  return starts;
}

}  // namespace

bool Lowering::is_triple(uint32_t at, const std::vector<uint32_t>& reads_of,
                         const std::vector<bool>& starts) const {
  const auto& all = function_.instructions;
  if (at + 2 >= all.size() || starts[at + 1] || starts[at + 2]) return false;
  if (step_of_[at + 1] != step_of_[at] + 1 || step_of_[at + 2] != step_of_[at] + 2) {
    return false;
  }
  if (!is_load(all[at]) || !is_load(all[at + 1]) || !is_sum(all[at + 2])) return false;
  const auto& factors = all[at + 2].sources;
  const uint32_t x = result_of(all[at]), y = result_of(all[at + 1]);
  const bool multiplies = (reads(factors[0], x) && reads(factors[1], y)) ||
                          (reads(factors[0], y) && reads(factors[1], x));
  const bool narrow =
      code_.accesses[code_.steps[step_of_[at]].e].address_bytes == 4 &&
      code_.accesses[code_.steps[step_of_[at + 1]].e].address_bytes == 4;
  return multiplies && narrow && x != y && reads_of[x] == 1 && reads_of[y] == 1 &&
         registers_.lane_bytes(x) == 4 && registers_.lane_bytes(y) == 4;
}

void Lowering::fuse_dots() {
  if (!engine_.fused_dot) return;
  const auto reads_of = count_reads(function_);
  const auto starts = block_starts(function_);
  const auto& all = function_.instructions;
  for (uint32_t at = 0; at + 2 < all.size(); ++at) {
    if (!is_triple(at, reads_of, starts)) continue;
    uint32_t triples = 1;
    // The next triple adds to this one's sum, which nothing else reads.
    for (uint32_t next = at + 3; is_triple(next, reads_of, starts); next += 3) {
      const uint32_t sum = result_of(all[next - 1]);
      const bool chained = !starts[next] && reads_of[sum] == 1 &&
                           reads(all[next + 2].sources[2], sum) &&
                           step_of_[next] == step_of_[next - 1] + 1;
      if (!chained) break;
      ++triples;
    }
    Step& step = code_.steps[step_of_[at]];
    step.run[0] = engine_.fused_dot;
    step.b = triples;
    at += 3 * triples - 1;
  }
}

}  // namespace minitorch::emulator

// Owns the search for runs of {ld.shared.f32, ld.shared.f32, fma.rn.f32} that one step
// may execute. Must not know how it does.
#include <algorithm>

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

}  // namespace

/// Nothing but probes of its access stands before the instruction's only step.
bool Lowering::is_one_step(uint32_t instruction) const {
  const uint32_t end = step_of_[instruction + 1];
  if (end == step_of_[instruction] || access_probes_.count(end - 1)) return false;
  for (uint32_t i = step_of_[instruction]; i + 1 < end; ++i) {
    if (!access_probes_.count(i)) return false;
  }
  return true;
}

/// Moves the probes among the steps [begin, end) to their front: loaded values and sums
/// are no addresses. Returns the first step behind them.
uint32_t Lowering::gather_probes(uint32_t begin, uint32_t end) {
  std::vector<Step> probes, others;
  for (uint32_t i = begin; i < end; ++i) {
    (access_probes_.count(i) ? probes : others).push_back(code_.steps[i]);
  }
  const auto at = std::copy(probes.begin(), probes.end(), code_.steps.begin() + begin);
  std::copy(others.begin(), others.end(), at);
  return begin + static_cast<uint32_t>(probes.size());
}

bool Lowering::is_triple(uint32_t at, const std::vector<uint32_t>& reads_of,
                         const std::vector<bool>& starts) const {
  const auto& all = function_.instructions;
  if (at + 2 >= all.size() || starts[at + 1] || starts[at + 2]) return false;
  if (!is_one_step(at) || !is_one_step(at + 1) || !is_one_step(at + 2)) return false;
  if (!is_load(all[at]) || !is_load(all[at + 1]) || !is_sum(all[at + 2])) return false;
  const auto& factors = all[at + 2].sources;
  const uint32_t x = result_of(all[at]), y = result_of(all[at + 1]);
  const bool multiplies = (reads(factors[0], x) && reads(factors[1], y)) ||
                          (reads(factors[0], y) && reads(factors[1], x));
  const auto address_bytes = [&](uint32_t load) {
    return code_.accesses[code_.steps[step_of_[load + 1] - 1].e].address_bytes;
  };
  const bool narrow = address_bytes(at) == 4 && address_bytes(at + 1) == 4;
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
      const bool chained =
          !starts[next] && reads_of[sum] == 1 && reads(all[next + 2].sources[2], sum);
      if (!chained) break;
      ++triples;
    }
    Step& step = code_.steps[gather_probes(step_of_[at], step_of_[at + 3 * triples])];
    step.run[0] = engine_.fused_dot;
    step.b = triples;
    at += 3 * triples - 1;
  }
}

}  // namespace minitorch::emulator

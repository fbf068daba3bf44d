// The estimate of a function's registers: liveness over its control-flow graph.
#include <algorithm>
#include <vector>

#include "libcuda/modules/image.h"

namespace minitorch::libcuda {
namespace {

using Bits = std::vector<bool>;

/// 32-bit registers that a PTX register takes; predicates have their own file.
int width(ptx::Type type) {
  const uint32_t bytes = ptx::size_of(type);
  return type == ptx::Type::Pred ? 0 : std::max(1, static_cast<int>(bytes) / 4);
}

template <class Visit>
void each_source(const ptx::Instruction& instruction, Visit visit) {
  const auto one = [&](const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::Register) visit(operand.index);
  };
  for (const ptx::Operand& source : instruction.sources) one(source);
  one(instruction.address.base);
  if (instruction.guard != ptx::kNone) visit(instruction.guard);
}

/// Goes backwards over a block: `live` is what is alive after it, then before it.
/// Returns the most 32-bit values alive at once.
int walk_back(const ptx::Function& function, const ptx::BasicBlock& block, Bits* live) {
  int now = 0, most = 0;
  const auto size_of = [&](size_t index) {
    return width(function.registers[index].type);
  };
  for (uint32_t i = 0; i < live->size(); ++i) now += (*live)[i] ? size_of(i) : 0;
  most = now;
  for (uint32_t i = block.end; i-- > block.begin;) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (instruction.only_checks) continue;  // the kernel itself has none of it
    for (const ptx::Operand& result : instruction.destinations) {
      if (result.kind != ptx::Operand::Kind::Register || !(*live)[result.index])
        continue;
      if (instruction.guard != ptx::kNone) continue;  // the old value may survive
      (*live)[result.index] = false;
      now -= size_of(result.index);
    }
    each_source(instruction, [&](uint32_t index) {
      if ((*live)[index]) return;
      (*live)[index] = true;
      now += size_of(index);
    });
    most = std::max(most, now);
  }
  return most;
}

}  // namespace

int estimate_registers(const ptx::Function& function) {
  constexpr int kFixed = 8;  // the stack pointer and what addressing takes
  std::vector<Bits> before(function.blocks.size(), Bits(function.registers.size()));
  int most = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = function.blocks.size(); b-- > 0;) {
      Bits live(function.registers.size());
      for (const uint32_t next : function.blocks[b].successors) {
        for (size_t r = 0; r < live.size(); ++r) live[r] = live[r] || before[next][r];
      }
      most = std::max(most, walk_back(function, function.blocks[b], &live));
      if (live != before[b]) {
        before[b] = std::move(live);
        changed = true;
      }
    }
  }
  return std::clamp(most + kFixed, 16, 255);
}

int Function::estimated_registers() const {
  int known = estimated_registers_.load(std::memory_order_relaxed);
  if (known == 0) {
    known = estimate_registers(program());
    estimated_registers_.store(known, std::memory_order_relaxed);
  }
  return known;
}

}  // namespace minitorch::libcuda

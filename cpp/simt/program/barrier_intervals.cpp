#include "simt/program/barrier_intervals.h"

namespace minitorch::simt {
namespace {

using ptx::Effect;
using ptx::Instruction;
using ptx::Op;
using ptx::Space;

/// Instructions times barriers that are worth the search.
constexpr size_t kGreatestSearch = size_t{1} << 20;

/// All threads of the block wait here.
bool is_whole_barrier(const Instruction& instruction) {
  const Op op = instruction.opcode.op;
  const size_t numbers = op == Op::Barrier ? 1 : op == Op::BarrierRed ? 2 : 0;
  return numbers != 0 && instruction.guard == ptx::kNone &&
         instruction.sources.size() == numbers;
}

bool may_store(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  switch (ptx::facts(opcode.op).effect) {
    case Effect::Write:
    case Effect::Atomic:
      return opcode.space == Space::Shared || opcode.space == Space::Generic;
    case Effect::CopyStart:
    case Effect::CopyCommit:
    case Effect::CopyWait:
    case Effect::Call:
      return true;
    case Effect::None:
    case Effect::Divide:
    case Effect::Read:
    case Effect::Mbarrier:
    case Effect::MbarrierArrive:
    case Effect::MbarrierTest:
    case Effect::Fence:
    case Effect::Branch:
    case Effect::Leave:
    case Effect::Trap:
    case Effect::Meet:
    case Effect::Barrier:
    case Effect::IndexCheck:
    case Effect::Refuse:
      return false;
  }
  return false;
}

bool is_load(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  return opcode.op == Op::Ld && opcode.space == Space::Shared &&
         opcode.order == ptx::Order::Weak;
}

/// The instructions that may follow number `at`.
void follow(const ptx::Function& function, uint32_t at, std::vector<uint32_t>& next) {
  const Instruction& instruction = function.instructions[at];
  const Op op = instruction.opcode.op;
  if (op == Op::Bra) next.push_back(instruction.target);
  if (op == Op::BrxIdx) {
    next.insert(next.end(), instruction.targets.begin(), instruction.targets.end());
  }
  const bool always = instruction.guard == ptx::kNone;
  const bool goes_away = op == Op::Bra || op == Op::Ret || op == Op::Exit;
  if (!always || !goes_away) next.push_back(at + 1);
}

/// All that threads may do from `start` on before they meet at a barrier.
std::vector<uint32_t> interval_from(const ptx::Function& function, uint32_t start) {
  std::vector<bool> seen(function.instructions.size(), false);
  std::vector<uint32_t> found, next = {start};
  while (!next.empty()) {
    const uint32_t at = next.back();
    next.pop_back();
    if (at >= seen.size() || seen[at]) continue;
    seen[at] = true;
    found.push_back(at);
    if (!is_whole_barrier(function.instructions[at])) follow(function, at, next);
  }
  return found;
}

}  // namespace

std::vector<bool> find_lone_loads(const ptx::Function& function) {
  const auto& all = function.instructions;
  std::vector<bool> lone(all.size(), false);
  std::vector<uint32_t> starts = {0};
  bool any = false;
  for (uint32_t i = 0; i < all.size(); ++i) {
    any |= lone[i] = is_load(all[i]);
    if (is_whole_barrier(all[i])) starts.push_back(i + 1);
  }
  if (!any) return lone;
  if (starts.size() * all.size() > kGreatestSearch)
    return std::vector<bool>(all.size());
  for (uint32_t start : starts) {
    const std::vector<uint32_t> interval = interval_from(function, start);
    bool stores = false;
    for (uint32_t i : interval) stores |= may_store(all[i]);
    for (uint32_t i : interval) lone[i] = lone[i] && !stores;
  }
  return lone;
}

}  // namespace minitorch::simt

#include "simt/program/divisions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simt/program/poison.h"

namespace minitorch::simt {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Definedness;
using ptx::Instruction;
using ptx::Op;

/// Values times instructions that are worth the search.
constexpr size_t kGreatestUseSearch = size_t{1} << 20;

/// How much of a result is undefined at least.
enum Extent : uint8_t { kSomeBit, kLowestBit };

/// Whether all lanes that come here use the register.
bool uses_at_once(const Instruction& instruction, uint32_t reg) {
  if (instruction.guard == reg) return true;
  if (instruction.guard != ptx::kNone) return false;
  return is_register(instruction.address.base, reg) ||
         is_register(instruction.source_address.base, reg) ||
         (gives_away(instruction.opcode.op) &&
          any_is_register(instruction.sources, reg));
}

bool shifts_by_number(const Instruction& instruction) {
  const auto& from = instruction.sources;
  return instruction.opcode.op == Op::Shl && from[1].kind == Kind::Immediate &&
         from[1].bits < 8 * ptx::size_of(instruction.opcode.type);
}

class UseSearch {
 public:
  explicit UseSearch(const ptx::Function& function)
      : function_(function), block_of_(function.instructions.size()) {
    certain_.assign(function.instructions.size(), {true, true});
    for (uint32_t i = 0; i < function.blocks.size(); ++i) {
      const ptx::BasicBlock& block = function.blocks[i];
      std::fill(block_of_.begin() + block.begin, block_of_.begin() + block.end, i);
    }
  }

  /// `values`: instructions that define one register each.
  void run(const std::vector<uint32_t>& values) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = values.rbegin(); at != values.rend(); ++at) {
        for (const Extent extent : {kSomeBit, kLowestBit}) {
          bool& known = certain_[*at][extent];
          if (!known || comes_to_use(*at, extent)) continue;
          known = false;
          changed = true;
        }
      }
    }
  }
  bool is_certain(uint32_t value, Extent extent) const {
    return certain_[value][extent];
  }

 private:
  /// Whether the instruction uses the register, itself or by what it computes.
  bool stops(uint32_t at, uint32_t reg, Extent extent) const;
  bool comes_to_use(uint32_t value, Extent extent) const;

  const ptx::Function& function_;
  std::vector<uint32_t> block_of_;
  std::vector<std::array<bool, 2>> certain_;
};

bool UseSearch::stops(uint32_t at, uint32_t reg, Extent extent) const {
  const Instruction& instruction = function_.instructions[at];
  if (uses_at_once(instruction, reg)) return true;
  const auto& from = instruction.sources;
  const auto& made = certain_[at];
  if (instruction.guard != ptx::kNone || instruction.destinations.size() != 1 ||
      !any_is_register(from, reg)) {
    return false;
  }
  switch (ptx::facts(instruction.opcode.op).definedness) {
    case Definedness::Any:
      return made[kLowestBit];
    case Definedness::Upward:
    case Definedness::Bits:
      if (from.size() == 2 && is_register(from[0], reg) && is_register(from[1], reg))
        return false;  // x - x, x ^ x
      return made[extent];
    case Definedness::Moved:
      if (instruction.opcode.op == Op::Mov) return made[extent];
      if (instruction.opcode.op == Op::Cvt) return extent == kLowestBit && made[extent];
      return shifts_by_number(instruction) && is_register(from[0], reg) &&
             extent == kLowestBit && made[kSomeBit];
    case Definedness::Select:
      return is_register(from[2], reg) && made[kLowestBit];
    case Definedness::Defined:
    case Definedness::And:
    case Definedness::Or:
    case Definedness::TwoMoved:
    case Definedness::AllMoved:
    case Definedness::Shuffled:
      return false;
  }
  return false;
}

bool UseSearch::comes_to_use(uint32_t value, Extent extent) const {
  const auto& all = function_.instructions;
  const uint32_t reg = all[value].destinations[0].index;
  std::vector<bool> seen(function_.blocks.size(), false);
  std::vector<std::pair<uint32_t, uint32_t>> next = {{block_of_[value], value + 1}};
  bool used = false;
  while (!next.empty()) {
    auto [number, at] = next.back();
    next.pop_back();
    const ptx::BasicBlock& block = function_.blocks[number];
    while (at < block.end && !stops(at, reg, extent)) {
      if (any_is_register(all[at].destinations, reg)) return false;
      ++at;
    }
    used |= at < block.end;
    if (at < block.end) continue;
    const ptx::Effect last = ptx::facts(all[block.end - 1].opcode.op).effect;
    const bool leaves = last == ptx::Effect::Leave || last == ptx::Effect::Trap;
    if (leaves || block.successors.empty()) return false;
    for (const uint32_t successor : block.successors) {
      if (seen[successor]) continue;
      seen[successor] = true;
      next.emplace_back(successor, function_.blocks[successor].begin);
    }
  }
  return used;
}

bool may_divide_by_zero(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  if (ptx::facts(opcode.op).effect != ptx::Effect::Divide || ptx::is_float(opcode.type))
    return false;
  const ptx::Operand& divisor = instruction.sources[1];
  return instruction.destinations[0].kind == Kind::Register &&
         (divisor.kind != Kind::Immediate || divisor.bits == 0);
}

/// The divisions, and the instructions that compute a value from theirs.
std::vector<uint32_t> quotients_of(const ptx::Function& function) {
  const auto& all = function.instructions;
  std::vector<bool> is_value(all.size(), false),
      holds(function.registers.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < all.size(); ++i) {
      const auto& from = all[i].sources;
      const bool computes =
          carries_poison(all[i]) && all[i].destinations.size() == 1 &&
          all[i].destinations[0].kind == Kind::Register &&
          std::any_of(from.begin(), from.end(), [&](const auto& each) {
            return each.kind == Kind::Register && holds[each.index];
          });
      if (is_value[i] || !(computes || may_divide_by_zero(all[i]))) continue;
      is_value[i] = changed = true;
      holds[all[i].destinations[0].index] = true;
    }
  }
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (is_value[i]) values.push_back(i);
  }
  return values;
}

}  // namespace

std::vector<bool> find_followed_divisions(const ptx::Function& function) {
  const auto& all = function.instructions;
  std::vector<bool> followed(all.size(), false);
  const std::vector<uint32_t> values = quotients_of(function);
  if (values.empty()) return followed;
  UseSearch search(function);
  const bool searched = values.size() * all.size() <= kGreatestUseSearch;
  if (searched) search.run(values);
  for (const uint32_t i : values) {
    followed[i] =
        may_divide_by_zero(all[i]) && !(searched && search.is_certain(i, kLowestBit));
  }
  return followed;
}

}  // namespace minitorch::simt

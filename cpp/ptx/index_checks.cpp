// Owns the gathering of checks of indices. Must not know who reports them.
//
// A translator that knows the arrays of its language leaves, before an access, a line
//   // minitorch.index.u64 ACCESS, DIMENSION, SPACE, KIND, INDEX, EXTENT{, ADDRESS};
// for each index, as inline assembly: a comment to any driver but ours, where it was
// asked for. ACCESS is a number of the translator's, SPACE an MtSpace (None: that of
// the generic ADDRESS), KIND an MtAccess; INDEX must be below EXTENT, both unsigned.
#include <algorithm>
#include <optional>
#include <set>

#include "ptx/analysis.h"

namespace minitorch::ptx {
namespace {

using Kind = Operand::Kind;

class Gathering {
 public:
  explicit Gathering(Function& function)
      : function_(function),
        writes_(function.registers.size(), 0),
        constants_(function.registers.size()) {
    for (const Instruction& each : function.instructions) {
      for (const Operand& to : each.destinations) {
        if (to.kind == Kind::Register) ++writes_[to.index];
      }
    }
    for (const Instruction& each : function.instructions) {
      if (each.opcode.op != Op::Mov || each.guard != kNone) continue;
      const Operand &to = each.destinations[0], &from = each.sources[0];
      if (to.kind == Kind::Register && from.kind == Kind::Immediate &&
          writes_[to.index] == 1) {
        constants_[to.index] = from.bits;
      }
    }
  }

  void run() {
    for (const BasicBlock& block : function_.blocks) gather(block);
    mark_needs();
  }

 private:
  using Value = std::pair<bool, uint64_t>;  // a register's number, or a constant

  std::optional<Value> value_of(const Operand& operand) const {
    if (operand.kind == Kind::Immediate) return Value{false, operand.bits};
    if (operand.kind != Kind::Register || writes_[operand.index] != 1) return {};
    if (constants_[operand.index]) return Value{false, *constants_[operand.index]};
    return Value{true, operand.index};
  }

  static void drop(Instruction& check) {
    check.opcode.op = Op::Nop;
    check.sources.clear();
  }

  /// Is it sure to hold? Of values that never change, if they say so or were looked at.
  bool holds(const Instruction& check) {
    const auto index = value_of(check.sources[kIndexValue]);
    const auto extent = value_of(check.sources[kIndexExtent]);
    if (!index || !extent) return false;
    if (!index->first && !extent->first) return index->second < extent->second;
    return !seen_.insert({*index, *extent}).second;
  }

  /// Are they of one access, so that a report names all its indices?
  static bool belong_together(const Instruction& a, const Instruction& b) {
    return a.sources[kIndexAccess].bits == b.sources[kIndexAccess].bits &&
           a.sources[kIndexDimension].bits != b.sources[kIndexDimension].bits;
  }

  static bool changes(const Instruction& instruction, const Instruction& check) {
    return std::any_of(check.sources.begin(), check.sources.end(), [&](auto& from) {
      return from.kind == Kind::Register &&
             std::any_of(instruction.destinations.begin(),
                         instruction.destinations.end(), [&](const Operand& to) {
                           return to.kind == Kind::Register && to.index == from.index;
                         });
    });
  }

  /// Makes the open checks one, in place of the last of them.
  void close() {
    bool sure = true;
    for (Instruction* each : open_) sure &= holds(*each);
    std::vector<Operand> all;
    for (Instruction* each : open_) {
      all.insert(all.end(), each->sources.begin(), each->sources.end());
      if (sure || each != open_.back()) drop(*each);
    }
    if (!sure) open_.back()->sources = std::move(all);
    open_.clear();
  }

  void gather(const BasicBlock& block) {
    seen_.clear();
    for (uint32_t i = block.begin; i < block.end; ++i) {
      Instruction& each = function_.instructions[i];
      const bool is_check = each.opcode.op == Op::IndexCheck;
      const bool ends =
          std::any_of(open_.begin(), open_.end(), [&](const Instruction* open) {
            return is_check ? !belong_together(*open, each) : changes(each, *open);
          });
      if (ends) close();
      if (!is_check) continue;
      each.only_checks = true;
      open_.push_back(&each);
    }
    close();
  }

  /// Has it no effect but its results, and might the kernel have it only for checks?
  static bool only_computes(const Instruction& instruction) {
    switch (instruction.opcode.op) {
      case Op::Mov:
      case Op::Cvt:
      case Op::Cvta:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Mad:
      case Op::Shl:
      case Op::Shr:
      case Op::And:
      case Op::Or:
      case Op::Selp:
      case Op::Setp:
        return true;
      default:
        return instruction.opcode.op == Op::Ld &&
               instruction.opcode.space == Space::Param;
    }
  }

  void mark_needs() {
    std::vector<uint32_t> uses(function_.registers.size(), 0);
    const auto each_use = [](const Instruction& from, const auto& use) {
      for (const Operand& operand : from.sources) {
        if (operand.kind == Kind::Register) use(operand.index);
      }
      for (const Operand* base : {&from.address.base, &from.source_address.base}) {
        if (base->kind == Kind::Register) use(base->index);
      }
      if (from.guard != kNone) use(from.guard);
    };
    for (const Instruction& each : function_.instructions) {
      if (!each.only_checks) each_use(each, [&](uint32_t reg) { ++uses[reg]; });
    }
    // Compilers leave no value that nothing uses: such a one is for checks.
    for (bool again = true; again;) {
      again = false;
      for (Instruction& each : function_.instructions) {
        if (each.only_checks || each.destinations.empty() || !only_computes(each)) {
          continue;
        }
        const bool needed = std::any_of(
            each.destinations.begin(), each.destinations.end(), [&](const Operand& to) {
              return to.kind == Kind::Register && uses[to.index] != 0;
            });
        if (needed) continue;
        each.only_checks = again = true;
        each_use(each, [&](uint32_t reg) { --uses[reg]; });
      }
    }
  }

  Function& function_;
  std::vector<uint32_t> writes_;
  std::vector<std::optional<uint64_t>> constants_;
  std::set<std::pair<Value, Value>> seen_;  // that passed, in this block
  std::vector<Instruction*> open_;          // checks of one access, so far
};

}  // namespace

void gather_index_checks(Function& function) { Gathering(function).run(); }

}  // namespace minitorch::ptx

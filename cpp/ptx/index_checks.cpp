// The gathering of checks of indices.
//
// A translator that knows the arrays of its language leaves, before an access, a line
//   // minitorch.index.u64 ACCESS, DIMENSION, SPACE, KIND, INDEX, EXTENT{, ADDRESS};
// for each index, as inline assembly: a comment to any driver but ours, where it was
// asked for. ACCESS is a number of the translator's, SPACE an MtSpace (None: that of
// the generic ADDRESS), KIND an MtAccess; INDEX must be below EXTENT, both unsigned.
#include <algorithm>
#include <iterator>
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
    find_passed();
    for (uint32_t b = 0; b < function_.blocks.size(); ++b) gather(b);
    mark_needs();
    remove_dropped();
  }

 private:
  using Value = std::pair<bool, uint64_t>;  // a register's number, or a constant
  using Passed = std::set<std::pair<Value, Value>>;

  std::optional<Value> value_of(const Operand& operand) const {
    if (operand.kind == Kind::Immediate) return Value{false, operand.bits};
    if (operand.kind != Kind::Register) return {};
    if (constants_[operand.index]) return Value{false, *constants_[operand.index]};
    return Value{true, operand.index};
  }

  /// The registers that an instruction writes hold other values from now on.
  static void forget(const Instruction& instruction, Passed& passed) {
    for (const Operand& to : instruction.destinations) {
      if (to.kind != Kind::Register) continue;
      const Value written{true, to.index};
      std::erase_if(passed, [&](const auto& pair) {
        return pair.first == written || pair.second == written;
      });
    }
  }

  // On entering each block, the pairs that were looked at on every way there.
  void find_passed() {
    const auto& blocks = function_.blocks;
    std::vector<std::optional<Passed>> leaving(blocks.size());  // none: not reached
    before_.assign(blocks.size(), {});
    std::vector<std::vector<uint32_t>> from(blocks.size());
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      for (const uint32_t next : blocks[b].successors) from[next].push_back(b);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < blocks.size(); ++b) {
        std::optional<Passed> entering;
        if (b == 0) entering.emplace();
        for (const uint32_t before : from[b]) {
          if (!leaving[before]) continue;
          if (!entering) {
            entering = leaving[before];
          } else {
            std::erase_if(*entering, [&](const auto& pair) {
              return leaving[before]->count(pair) == 0;
            });
          }
        }
        if (!entering) continue;
        before_[b] = *entering;
        for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
          const Instruction& each = function_.instructions[i];
          if (each.opcode.op == Op::IndexCheck) {
            const auto index = value_of(each.sources[kIndexValue]);
            const auto extent = value_of(each.sources[kIndexExtent]);
            if (index && extent) entering->insert({*index, *extent});
          }
          forget(each, *entering);
        }
        if (leaving[b] == entering) continue;
        leaving[b] = std::move(entering);
        changed = true;
      }
    }
  }

  static void drop(Instruction& check) {
    check.opcode.op = Op::Nop;
    check.sources.clear();
  }

  /// Is it sure to hold? Its values say so, or were looked at on every way here.
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
             any_is_register(instruction.destinations, from.index);
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

  void gather(uint32_t number) {
    const BasicBlock& block = function_.blocks[number];
    seen_ = before_[number];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      Instruction& each = function_.instructions[i];
      const bool is_check = each.opcode.op == Op::IndexCheck;
      const bool ends =
          std::any_of(open_.begin(), open_.end(), [&](const Instruction* open) {
            return is_check ? !belong_together(*open, each) : changes(each, *open);
          });
      if (ends) close();
      forget(each, seen_);
      if (!is_check) continue;
      each.only_checks = true;
      open_.push_back(&each);
    }
    close();
  }

  /// Has it no effect but its results, and might the kernel have it only for checks?
  static bool only_computes(const Instruction& instruction) {
    // Of such are indices and extents; what is not here stays, and is counted.
    static constexpr Op kOfIndices[] = {Op::Mov, Op::Cvt,  Op::Cvta, Op::Add, Op::Sub,
                                        Op::Mul, Op::Mad,  Op::Shl,  Op::Shr, Op::And,
                                        Op::Or,  Op::Selp, Op::Setp};
    const Opcode& opcode = instruction.opcode;
    return std::find(std::begin(kOfIndices), std::end(kOfIndices), opcode.op) !=
               std::end(kOfIndices) ||
           (opcode.op == Op::Ld && opcode.space == Space::Param);
  }

  template <class Use>
  static void each_use(const Instruction& from, const Use& use) {
    for (const Operand& operand : from.sources) {
      if (operand.kind == Kind::Register) use(operand.index);
    }
    for (const Operand* base : {&from.address.base, &from.source_address.base}) {
      if (base->kind == Kind::Register) use(base->index);
    }
    if (from.guard != kNone) use(from.guard);
  }

  /// Calls `found` with each instruction that only computes what nothing uses, after
  /// all that use it. Instructions that are `left_out` use nothing.
  template <class LeftOut, class Found>
  void each_unused(const LeftOut& left_out, const Found& found) {
    std::vector<uint32_t> uses(function_.registers.size(), 0);
    for (const Instruction& each : function_.instructions) {
      if (!left_out(each)) each_use(each, [&](uint32_t reg) { ++uses[reg]; });
    }
    for (bool again = true; again;) {
      again = false;
      for (Instruction& each : function_.instructions) {
        if (left_out(each) || each.destinations.empty() || !only_computes(each)) {
          continue;
        }
        const bool needed = std::any_of(
            each.destinations.begin(), each.destinations.end(), [&](const Operand& to) {
              return to.kind == Kind::Register && uses[to.index] != 0;
            });
        if (needed) continue;
        found(each);
        each_use(each, [&](uint32_t reg) { --uses[reg]; });
        again = true;
      }
    }
  }

  // Compilers leave no value that nothing uses: such a one is for checks.
  void mark_needs() {
    each_unused([](const Instruction& each) { return each.only_checks; },
                [](Instruction& each) { each.only_checks = true; });
  }

  /// Takes dropped checks, and what was for them alone, out of the function: what
  /// stands beside each other in the kernel does so here.
  void remove_dropped() {
    const auto dropped = [](const Instruction& each) {
      return each.only_checks && each.opcode.op == Op::Nop;
    };
    each_unused(dropped, [](Instruction& each) { each.opcode.op = Op::Nop; });
    auto& all = function_.instructions;
    std::vector<uint32_t> moved;
    uint32_t left = 0;
    for (const Instruction& each : all) {
      moved.push_back(left);
      left += !dropped(each);
    }
    moved.push_back(left);
    for (Instruction& each : all) {
      if (each.opcode.op == Op::Bra) each.target = moved[each.target];
      if (each.opcode.op == Op::BrxIdx) {
        for (uint32_t& target : each.targets) target = moved[target];
      }
    }
    std::erase_if(all, dropped);
    for (Instruction& each : all) each.join = kNone;
    function_.blocks.clear();
    function_.joins.clear();
  }

  Function& function_;
  std::vector<uint32_t> writes_;
  std::vector<std::optional<uint64_t>> constants_;
  std::vector<Passed> before_;      // by block
  Passed seen_;                     // up to here, in this block
  std::vector<Instruction*> open_;  // checks of one access, so far
};

}  // namespace

void gather_index_checks(Function& function) { Gathering(function).run(); }

}  // namespace minitorch::ptx

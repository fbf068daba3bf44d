// The static question whether all lanes of a warp that execute an instruction together
// see the same guard and address. Says "no" when in doubt.
#include <algorithm>

#include "ptx/analysis.h"
#include "ptx/special_registers.h"

namespace minitorch::ptx {
namespace {

/// Grows the set of divergent registers and blocks until nothing changes.
class Divergence {
 public:
  Divergence(const Function& function, const Module& module)
      : function_(function),
        module_(module),
        registers_(function.registers.size()),
        blocks_(function.blocks.size()) {
    for (uint32_t r : function.maybe_undefined) registers_[r] = true;
  }

  void solve() {
    do {
      changed_ = false;
      for (uint32_t b = 0; b < function_.blocks.size(); ++b) visit_block(b);
    } while (changed_);
  }

  bool uniform(const Instruction& instruction) const {
    // The sources of a jump say where to.
    const bool jumps = facts(instruction.opcode.op).use == Use::Branch;
    return !guard_diverges(instruction) && !diverges(instruction.address.base) &&
           !diverges(instruction.source_address.base) &&
           !(jumps && any_source_diverges(instruction));
  }

 private:
  bool diverges(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Register) return registers_[operand.index];
    return operand.kind == Operand::Kind::Special && is_divergent(operand.special);
  }

  bool guard_diverges(const Instruction& instruction) const {
    return instruction.guard != kNone && registers_[instruction.guard];
  }

  bool any_source_diverges(const Instruction& instruction) const {
    return diverges(instruction.address.base) ||
           std::any_of(instruction.sources.begin(), instruction.sources.end(),
                       [this](const Operand& o) { return diverges(o); });
  }

  // A load gives all lanes one value when they read one address of memory they share.
  bool load_diverges(const Instruction& load) const {
    if (load.parameter_kind == Instruction::ParameterKind::CallReturn) return true;
    if (load.opcode.order != Order::Weak || diverges(load.address.base)) return true;
    switch (load.opcode.space) {
      case Space::Param:
        return !function_.entry;
      case Space::Const:
      case Space::Global:
      case Space::Shared:
        return false;
      case Space::Generic: {  // may be local, unless it names a variable
        const Operand& base = load.address.base;
        return base.kind != Operand::Kind::Variable ||
               module_.variables[base.index].space == Space::Local;
      }
      case Space::Local:
        return true;
    }
    return true;
  }

  bool result_diverges(const Instruction& instruction) const {
    switch (facts(instruction.opcode.op).uniformity) {
      case Uniformity::Sources:
        return any_source_diverges(instruction);
      case Uniformity::Second:
        return diverges(instruction.sources[1]);
      case Uniformity::Loaded:
        return load_diverges(instruction);
      case Uniformity::Always:
        return false;
      case Uniformity::Never:
        return true;
    }
    return true;
  }

  void visit_block(uint32_t index) {
    const BasicBlock& block = function_.blocks[index];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (!instruction.destinations.empty() &&
          (blocks_[index] || guard_diverges(instruction) ||
           result_diverges(instruction)))
        for (const Operand& destination : instruction.destinations) mark(destination);
      if (instruction.opcode.carry_in && !instruction.destinations.empty())
        mark(instruction.destinations[0]);  // the carry flag is not followed
    }
    const Instruction& last = function_.instructions[block.end - 1];
    const bool branches = facts(last.opcode.op).effect == Effect::Branch;
    if (branches && block.successors.size() > 1 && !uniform(last)) mark_region(index);
  }

  void mark(const Operand& destination) {
    if (destination.kind != Operand::Kind::Register || registers_[destination.index])
      return;
    registers_[destination.index] = changed_ = true;
  }

  // What runs between a divergent branch and its join runs for some lanes only: what is
  // written there differs afterwards. That includes loops left at different times.
  void mark_region(uint32_t branch) {
    const uint32_t join = function_.blocks[branch].post_dominator;
    std::vector<uint32_t> work = function_.blocks[branch].successors;
    std::vector<bool> seen(function_.blocks.size());
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      if (block == join || seen[block]) continue;
      seen[block] = true;
      if (!blocks_[block]) blocks_[block] = changed_ = true;
      const auto& next = function_.blocks[block].successors;
      work.insert(work.end(), next.begin(), next.end());
    }
  }

  const Function& function_;
  const Module& module_;
  std::vector<bool> registers_, blocks_;
  bool changed_ = false;
};

}  // namespace

void mark_uniform(Function& function, const Module& module) {
  Divergence divergence(function, module);
  divergence.solve();
  for (Instruction& instruction : function.instructions)
    instruction.uniform = divergence.uniform(instruction);
}

}  // namespace minitorch::ptx

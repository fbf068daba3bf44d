// Owns the search for kernels whose blocks follow from their first: the one way through
// the kernel, and which registers are linear in the block's coordinates. Must not know
// steps or launches.
#pragma once

#include <vector>

#include "emulator/register_file.h"
#include "emulator/replay_plan.h"

namespace minitorch::emulator {

/// What is known of a register. Fixed: the same in every block.
struct Known {
  enum class Class : uint8_t { Fixed, Linear, Other };
  Class kind = Class::Other;
  bool uniform = false;  // the same in all threads
  uint32_t linear = ReplayPlan::kFixed;
  uint32_t writer = ptx::kNone;
};

/// Integers of 32 or 64 bits.
bool is_number(ptx::Type type);

/// Follows the one way through a kernel.
class ReplayPlanner {
 public:
  ReplayPlanner(const ptx::Function& function, RegisterFile& registers);

  /// False when blocks cannot be replayed. `path` are then the instructions to run.
  bool run();

  ReplayPlan plan;
  std::vector<uint32_t> path;

 private:
  bool writes_once() const;
  bool step_to_next(uint32_t& at);
  bool branch(uint32_t& at);
  bool leaves(uint32_t at) const;
  bool require(uint32_t predicate, bool value, uint32_t depth = 0);
  bool require_comparison(const ptx::Instruction& test, bool value);
  bool require_indices(const ptx::Instruction& check);
  bool access(const ptx::Instruction& instruction);
  void compute(const ptx::Instruction& instruction);
  bool find_terms(const ptx::Instruction& instruction,
                  std::vector<ReplayPlan::Term>& terms);
  bool multiply(const ptx::Instruction& instruction,
                std::vector<ReplayPlan::Term>& terms);
  bool add_term(const ptx::Operand& operand, ptx::Type type,
                std::vector<ReplayPlan::Term>& terms, bool negative = false);
  bool scale(const ptx::Operand& operand, const ptx::Operand& factor, ptx::Type type,
             ptx::Type factor_type, bool power, std::vector<ReplayPlan::Term>& terms);
  void keep_needed();

  Known known(const ptx::Operand& operand) const;
  /// The operand read as `type` lies in a row of that width.
  bool fits(const ptx::Operand& operand, ptx::Type type) const;
  RowNumber row(const ptx::Operand& operand, ptx::Type type);

  const ptx::Function& function_;
  RegisterFile& registers_;
  std::vector<Known> known_;  // by register
};

}  // namespace minitorch::emulator

// The program of one function between PTX and steps: operations by the PTX instruction
// that they come from.
#pragma once

#include <memory>
#include <vector>

#include "simt/program/code.h"
#include "simt/program/poison.h"
#include "simt/program/values.h"
#include "simt/program/warp_op.h"

namespace minitorch::simt {

struct WarpProgram {
  /// `checks`: the bits of Launch::checks that want probes. `reads_local`: some
  /// function of the program may read local memory before it writes it.
  WarpProgram(const LoadedModule& module, const Engine& engine, uint32_t checks,
              bool reads_local, FunctionCode& code);

  /// What one PTX instruction became.
  struct Group {
    std::vector<WarpOp> ops;
    uint32_t temporaries = 0;  // numbers in use
    bool needless = false;     // its result is a constant
  };

  const LoadedModule& module;
  const Engine& engine;
  const uint32_t checks;
  const bool reads_local;
  const ptx::Function& function;
  /// Tables that operations name by number are those of the code; emit_steps fills in
  /// its steps and rows.
  FunctionCode& code;
  Values values;
  PoisonMap poison;
  bool follows_poison = false;
  std::vector<Group> groups;           // by instruction, and one past the last
  bool expanded = false;               // groups hold operations
  std::shared_ptr<ReplayPlan> replay;  // its rows are numbers of values yet

  const ptx::Instruction& instruction(uint32_t at) const {
    return function.instructions[at];
  }
  uint32_t instruction_count() const {
    return static_cast<uint32_t>(function.instructions.size());
  }
};

/// By instruction, and one past the last: whether a basic block begins there.
std::vector<bool> block_starts(const ptx::Function& function);

/// By register: how often an instruction reads it.
std::vector<uint32_t> count_reads(const ptx::Function& function);

/// Whether the guard decides which lanes execute it, not where they go.
bool is_guarded(const ptx::Instruction& instruction);

/// Where an instruction's operations begin: behind the marker of a join.
size_t entry_of(const std::vector<WarpOp>& ops, uint32_t instruction);
/// Where those begin that run under its guard, and where they end.
size_t body_begin(const WarpProgram& program, uint32_t instruction);
size_t body_end(const WarpProgram& program, uint32_t instruction);

WarpOp& insert(std::vector<WarpOp>& ops, size_t at, WarpOp op);

}  // namespace minitorch::simt

// The list of passes that lead from a function's PTX to its steps, in order: the table
// of contents of the emulator.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "simt/program/warp_program.h"

namespace minitorch::simt {

struct Pass {
  std::string_view name;
  std::string_view makes_true;  // what holds when it has run
  void (*run)(WarpProgram& program);
};

std::span<const Pass> passes();

/// Called after each pass over each function.
using PassListener = std::function<void(const Pass&, const WarpProgram&)>;

/// Makes steps of `function` and everything it may call.
std::unique_ptr<Program> lower_program(const LoadedModule& module, uint32_t function,
                                       const Engine& engine, uint32_t checks,
                                       const PassListener& after = {});

// passes/NAME.cpp each.
void find_aliases(WarpProgram& program);
void expand(WarpProgram& program);
void apply_guards(WarpProgram& program);
void mark_joins(WarpProgram& program);
void follow_definedness(WarpProgram& program);
void observe_accesses(WarpProgram& program);
void trace(WarpProgram& program);
void count(WarpProgram& program);
void forget_address_patterns(WarpProgram& program);
void fuse_dots(WarpProgram& program);
void plan_replay(WarpProgram& program);
void emit_steps(WarpProgram& program);

}  // namespace minitorch::simt

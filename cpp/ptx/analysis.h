// The list of analyses that complete a decoded function or module. Each makes true what
// its name says and reads only what the ones above it made.
#pragma once

#include <vector>

#include "ptx/program.h"

namespace minitorch::ptx {

/// Immediate post-dominator of each node of a graph, kNone where that is the exit.
/// `successors[i]` may hold kNone: an edge to the exit. Nodes of loops without an exit
/// are treated as if the loop's head had an edge to it.
std::vector<uint32_t> immediate_post_dominators(
    const std::vector<std::vector<uint32_t>>& successors);

/// Sets blocks, successors, post-dominators, the join of each branch, and joins.
void build_control_flow(Function& function);

/// Leaves of the checks of indices (Op::IndexCheck) those that can fail, one for each
/// access of a basic block, and marks what only they need. Needs the control flow, and
/// takes it away: instructions are gone.
void gather_index_checks(Function& function);

/// Sets maybe_undefined from the registers alive at the function's start.
void find_undefined_registers(Function& function);

/// Sets Instruction::uniform. Needs control flow and maybe_undefined.
void mark_uniform(Function& function, const Module& module);

/// Sets uses_* of every function, callees included.
void mark_uses(Module& module);

/// Places shared variables in blocks and local variables in frames; sets shared_bytes,
/// shared_alignment and local_bytes.
void lay_out_variables(Module& module);

/// Per function, the functions it may reach by calls, itself included; sorted.
std::vector<std::vector<uint32_t>> reachable_functions(const Module& module);

}  // namespace minitorch::ptx

// The way from a FindingRecord to the raw fields of the inspection interface.
#pragma once

#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

/// The words for a place in memory: "'bar'", "'pipe' + 8", "at offset 16".
std::string name_of_place(const LaunchState& state, MtSpace space, uint64_t address);

/// `record`, seen `count` times, with names, lines and the nearest allocation.
MtFinding describe_finding(const LaunchState& state, const FindingRecord& record,
                           uint64_t count);

/// The line of an instruction in the kernel's own file, not in a header's function that
/// was inlined there; 0 if it is not known.
uint32_t line_in_kernel(const ptx::Module& module, uint32_t function,
                        uint32_t instruction);

}  // namespace minitorch::simt

// Owns the way from counts of probes to counters of lines. Must not know how they were
// counted.
#pragma once

#include "emulator/code.h"
#include "emulator/observed.h"

namespace minitorch::emulator {

/// `counts`: of all functions, each from its FunctionCode::count_base.
void tally(const Program& program, const std::vector<uint64_t>& counts, Observed& to);

}  // namespace minitorch::emulator

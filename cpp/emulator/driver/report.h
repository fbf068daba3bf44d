// Owns the one line a finding becomes when nobody took it. Must not know contexts.
#pragma once

#include <string>
#include <vector>

#include "cuda_abi/inspect.h"

namespace minitorch::emulator::driver {

/// `[emulator] oob_global in vadd: read of 4 bytes, 64 past the end of 'a' (4096
/// bytes): thread (3,0,0) of block (1,0,0), vadd.cu:14.`
std::string finding_text(const MtFinding& finding);

/// "oob_global", "write"; for the names in other forms of report.
const char* kind_name(int32_t kind);
const char* access_name(int32_t access);

/// Kind, kernel and source lines: what makes two findings the same mistake.
std::string finding_place(const MtFinding& finding);

/// Races of whole launches, copies and fills: their sites name no threads.
bool is_between_operations(const MtFinding& finding);

/// One line for each place on stderr, at most twenty.
void print_findings(const std::vector<MtFinding>& findings);

}  // namespace minitorch::emulator::driver

// The one line a finding becomes when nobody took it.
#pragma once

#include <string>

#include "cuda_abi/inspect.h"

namespace minitorch::findings {

/// `[emulator] oob_global in vadd: read of 4 bytes, 64 past the end of 'a' (4096
/// bytes): thread (3,0,0) of block (1,0,0), vadd.cu:14.`
std::string report_line(const MtFinding& finding);

/// Kind, kernel and source lines: what makes two findings the same mistake.
std::string same_mistake_key(const MtFinding& finding);

}  // namespace minitorch::findings

// What a plain client sees of findings that nobody took.
#pragma once

#include <vector>

#include "cuda_abi/inspect.h"

namespace minitorch::libcuda {

/// One line for each place on stderr, at most twenty.
void print_findings(const std::vector<MtFinding>& all);

}  // namespace minitorch::libcuda

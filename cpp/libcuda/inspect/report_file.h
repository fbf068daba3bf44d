// Owns what this process tells the one that started it, by a file in the folder that
// MINITORCH_REPORT names: how many kernels were launched and what was found. The file
// is true at every moment, so that a crash loses nothing. Must not know contexts.
#pragma once

#include "cuda_abi/inspect.h"

namespace minitorch::libcuda {

/// Whether somebody reads reports; then findings are not printed at exit.
bool reports();

void report_launch();
void report_finding(const MtFinding& finding);
/// A client asked for tables that only NVIDIA's driver has, as the CUDA runtime does.
void report_private_table();

}  // namespace minitorch::libcuda

// What this process tells the one that started it, by a file in the folder that
// MINITORCH_REPORT names: how many kernels were launched, what was found and what was
// asked for in vain. The file is true at every moment, so that a crash loses nothing.
#pragma once

#include "cuda_abi/inspect.h"

namespace minitorch::libcuda {

/// Whether somebody reads reports; then findings are not printed at exit.
bool reports();

void report_launch();
void report_finding(const MtFinding& finding);
/// A client asked for a function that is not offered. Of cuGetExportTable it is a table
/// that only NVIDIA's driver has, as the CUDA runtime needs it.
void report_absent(const char* function);

}  // namespace minitorch::libcuda

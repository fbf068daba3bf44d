// Where the output of printf in kernels goes.
#pragma once

#include <string>

#include "cuda_abi/inspect.h"

namespace minitorch::libcuda {

/// To `print`, or to stdout when it is null.
void set_print_sink(MtPrintCallback print, void* user);

void print_text(const std::string& text);

}  // namespace minitorch::libcuda

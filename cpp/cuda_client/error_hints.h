// The plain advice for each driver error.
#pragma once

#include "cuda_abi/driver_types.h"

namespace minitorch::cuda_client {

/// One sentence or two, or "" where there is nothing to advise.
const char* error_hint(CUresult result);

/// Name of a result for a driver that cannot say: "CUDA_ERROR_INVALID_VALUE".
const char* fallback_error_name(CUresult result);

}  // namespace minitorch::cuda_client

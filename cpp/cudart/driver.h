// The driver API as the runtime reaches it: libcuda.so.1, loaded at the first call.
#pragma once

#include "cuda_abi/inspect.h"
#include "cuda_abi/runtime_types.h"

namespace minitorch::cudart {

struct Driver {
#define CU_FUNCTION(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "cuda_abi/driver_functions.inc"
#include "cudart/driver_functions.inc"
#undef CU_FUNCTION
};

/// The result of loading and initialising the driver; cudaErrorInsufficientDriver
/// without one.
int driver_state();
/// The functions for the running call: of one for the per-thread default stream, those
/// in which stream 0 is the thread's own. Needs driver_state() to be 0.
const Driver& driver();
/// A function by name, in the form for the running call; one that answers
/// CUDA_ERROR_NOT_SUPPORTED where the driver lacks it.
void* driver_function(const char* symbol, bool per_thread);

/// What the emulator offers beside the driver API; null on a GPU.
struct Inspection {
  CUresult (*last_message)(const char** text) = nullptr;
  CUresult (*label_allocation)(CUdeviceptr pointer, const char* label) = nullptr;
};
const Inspection& inspection();

}  // namespace minitorch::cudart

// The kernels and variables of a program: registered before main, loaded at first use.
#pragma once

#include <atomic>

#include "cuda_abi/runtime_types.h"

namespace minitorch::cudart {

struct Binary;

struct Kernel {
  Binary* binary;
  const char* name;  // as in the PTX; a string of the program
  std::atomic<CUkernel> loaded{nullptr};
};

/// The kernel of nvcc's host function; null where none was registered for it.
Kernel* kernel_of(const void* function);
/// Loads what it is in where that is still to be done, and gives the driver's kernel.
int load(Kernel& kernel, CUkernel* loaded);
/// The same for a function that a program passes: nvcc's host function, or a CUkernel.
int function_for(const void* function, CUfunction* loaded);

/// Where a registered variable is, and its size; cudaErrorInvalidSymbol for others.
int find_variable(const void* symbol, CUdeviceptr* pointer, size_t* bytes);

/// Forgets all that was loaded; what is used again is loaded again.
void unload_binaries();

}  // namespace minitorch::cudart

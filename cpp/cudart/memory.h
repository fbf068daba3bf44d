// What kind of memory a pointer points to.
#pragma once

#include "cuda_abi/runtime_types.h"

namespace minitorch::cudart {

/// The values of cudaMemoryType.
enum class Memory : int {
  Unknown = 0,  // not the driver's: memory of the host, or freed
  Pinned = 1,
  Device = 2,
  Managed = 3,
};

int memory_of(const void* pointer, Memory* memory);

/// A copy in the form that the driver takes for all of them; each side's memory comes
/// from `kind`, or, with cudaMemcpyDefault, from its pointer. Says
/// cudaErrorInvalidValue where kind and pointers contradict each other, and reports
/// that for `symbol`.
int describe_copy(const char* symbol, const cudart_copy_3d& copy, CUDA_MEMCPY3D* out);
/// The same for one row of bytes.
int describe_copy(const char* symbol, void* to, const void* from, size_t bytes,
                  int kind, CUDA_MEMCPY3D* out);

}  // namespace minitorch::cudart

// The types of the driver's libraries, kernels and linker; declarations only, checked
// against NVIDIA's cuda.h by tests/cuda_abi where that header is at hand.
#pragma once

#include "cuda_abi/driver_types.h"

extern "C" {

typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef struct CUlinkState_st* CUlinkState;

typedef enum CUjitInputType_enum : int {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4,
  CU_JIT_INPUT_NVVM = 5,
} CUjitInputType;

typedef enum CUlibraryOption_enum : int {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
  CU_LIBRARY_BINARY_IS_PRESERVED = 1,
} CUlibraryOption;

}  // extern "C"

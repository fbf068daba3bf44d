// The types of the CUDA runtime API (version 13) that differ from the driver's,
// declared anew as in driver_types.h; checked against NVIDIA's header by
// tests/python/test_cudart_table.py.
#pragma once

#include "cuda_abi/driver_types.h"
#include "cuda_abi/memory_types.h"
#include "cuda_abi/module_types.h"
#include "cuda_abi/work_types.h"

extern "C" {

/// cudaError_t: CUresult and values of the runtime's own.
typedef int cudart_result;
enum cudart_results : int {
#define CUDART_ERROR(name, value) name = value,
#define CUDART_ERROR_TEXT(value, text)
#include "cuda_abi/runtime_errors.inc"
#undef CUDART_ERROR
#undef CUDART_ERROR_TEXT
};

/// cudaMemcpyKind.
enum cudart_copy_kind : int {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

typedef struct cudart_dim3 {
  unsigned int x, y, z;
} cudart_dim3;

typedef struct cudart_extent {
  size_t width, height, depth;
} cudart_extent;

typedef struct cudart_position {
  size_t x, y, z;
} cudart_position;

typedef struct cudart_pitched {
  void* ptr;
  size_t pitch, xsize, ysize;
} cudart_pitched;

typedef struct cudart_copy_3d {
  CUarray srcArray;
  cudart_position srcPos;
  cudart_pitched srcPtr;
  CUarray dstArray;
  cudart_position dstPos;
  cudart_pitched dstPtr;
  cudart_extent extent;
  int kind;
} cudart_copy_3d;

typedef struct cudart_pointer {
  int type, device;
  void *devicePointer, *hostPointer;
  long reserved[8];
} cudart_pointer;

typedef struct cudart_function {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
  int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
  int rest[16];
} cudart_function;

typedef struct cudart_launch {
  cudart_dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  CUstream stream;
  CUlaunchAttribute* attrs;
  unsigned int numAttrs;
} cudart_launch;

typedef struct cudart_kernel_node {
  void* func;
  cudart_dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void **kernelParams, **extra;
} cudart_kernel_node;

typedef struct cudart_channel {
  int x, y, z, w, f;
} cudart_channel;

/// cudaDeviceProp of version 13.
typedef struct cudart_properties {
  char name[256];
  CUuuid uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  int textures_and_surfaces[39];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize;
  int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers;
  int rest[63];
} cudart_properties;

/// What nvcc's host code registers: one compiled file, or several to be linked.
typedef struct cudart_binary {
  int magic, version;
  const void* data;
  void** parts;  // of version 2, ended by null
} cudart_binary;

}  // extern "C"

// A stand-in for another vendor's libcuda: some of the same symbols, answers that
// nobody could take for ours.
#include "cuda_abi/driver_types.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }

EXPORTED CUresult cuDriverGetVersion(int* version) {
  *version = 4242;
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuDeviceGetCount(int* count) {
  *count = 77;
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t) {
  *pointer = 0xfa4e;
  return CUDA_SUCCESS;
}

/// Calls its own cuDeviceGetCount the way a library's inner calls go: through the
/// loader.
EXPORTED int fake_count_seen_inside() {
  int count = 0;
  cuDeviceGetCount(&count);
  return count;
}

// Memory: allocations, which are reported until they are freed, and pointers.
#include "cudart/memory.h"

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/driver.h"
#include "cudart/report.h"

namespace minitorch::cudart {
namespace {

CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// Allocates by `call(bytes' address)`; no bytes are a null pointer.
template <class Call>
int allocate_by(void** pointer, size_t bytes, const char* symbol, Call call) {
  if (pointer == nullptr) return refuse(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return 0;
  const int result = call(reinterpret_cast<CUdeviceptr*>(pointer));
  if (result == 0) report_allocated(*pointer, bytes, symbol);
  return result;
}

template <class Call>
int free_by(void* pointer, Call call) {
  if (pointer == nullptr) return 0;
  const int result = call();
  // After a fault every call fails; the program has done its part.
  if (result != cudaErrorInvalidValue) report_freed(pointer);
  return result;
}

}  // namespace

int memory_of(const void* pointer, Memory* memory) {
  unsigned int type = 0, managed = 0;
  int result = driver().pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                              address_of(pointer));
  *memory = Memory::Unknown;
  if (result == CUDA_ERROR_INVALID_VALUE) return 0;
  if (result == 0)
    result = driver().pointer_get_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                            address_of(pointer));
  if (result == 0)
    *memory = managed != 0                   ? Memory::Managed
              : type == CU_MEMORYTYPE_DEVICE ? Memory::Device
                                             : Memory::Pinned;
  return result;
}

namespace api {

int allocate(void** pointer, size_t bytes) {
  return allocate_by(pointer, bytes, "cudaMalloc",
                     [&](CUdeviceptr* out) { return driver().mem_alloc(out, bytes); });
}

int allocate_managed(void** pointer, size_t bytes, unsigned int flags) {
  if (bytes == 0) return refuse(cudaErrorInvalidValue);
  return allocate_by(pointer, bytes, "cudaMallocManaged", [&](CUdeviceptr* out) {
    return driver().mem_alloc_managed(out, bytes, flags);
  });
}

int allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t height) {
  return allocate_by(pointer, width * height, "cudaMallocPitch", [&](CUdeviceptr* out) {
    return driver().mem_alloc_pitch(out, pitch, width, height, 4);
  });
}

int allocate_3d(cudart_pitched* out, cudart_extent extent) {
  if (out == nullptr) return refuse(cudaErrorInvalidValue);
  *out = {nullptr, 0, extent.width, extent.height};
  const size_t rows = extent.height * extent.depth;
  return allocate_by(
      &out->ptr, extent.width * rows, "cudaMalloc3D", [&](CUdeviceptr* pointer) {
        return driver().mem_alloc_pitch(pointer, &out->pitch, extent.width, rows, 4);
      });
}

int allocate_host(void** pointer, size_t bytes) {
  return allocate_by(pointer, bytes, "cudaMallocHost", [&](CUdeviceptr*) {
    return driver().mem_host_alloc(pointer, bytes, 0);
  });
}

int allocate_host_with_flags(void** pointer, size_t bytes, unsigned int flags) {
  return allocate_by(pointer, bytes, "cudaHostAlloc", [&](CUdeviceptr*) {
    return driver().mem_host_alloc(pointer, bytes, flags);
  });
}

int allocate_async(void** pointer, size_t bytes, CUstream stream) {
  return allocate_by(pointer, bytes, "cudaMallocAsync", [&](CUdeviceptr* out) {
    return driver().mem_alloc_async(out, bytes, stream);
  });
}

int allocate_from_pool(void** pointer, size_t bytes, CUmemoryPool pool,
                       CUstream stream) {
  return allocate_by(pointer, bytes, "cudaMallocFromPoolAsync", [&](CUdeviceptr* out) {
    return driver().mem_alloc_from_pool(out, bytes, pool, stream);
  });
}

int free_device(void* pointer) {
  return free_by(pointer, [&] { return driver().mem_free(address_of(pointer)); });
}

int free_host(void* pointer) {
  return free_by(pointer, [&] { return driver().mem_free_host(pointer); });
}

int free_async(void* pointer, CUstream stream) {
  return free_by(pointer,
                 [&] { return driver().mem_free_async(address_of(pointer), stream); });
}

int pointer_attributes(cudart_pointer* out, const void* pointer) {
  if (out == nullptr) return refuse(cudaErrorInvalidValue);
  Memory memory;
  const int result = memory_of(pointer, &memory);
  if (result != 0) return result;
  void* const own = const_cast<void*>(pointer);
  *out = {};
  out->type = static_cast<int>(memory);
  out->device = memory == Memory::Unknown ? -2 : 0;  // of the host: cudaInvalidDeviceId
  if (memory == Memory::Device || memory == Memory::Managed) out->devicePointer = own;
  if (memory != Memory::Device) out->hostPointer = own;
  CUdeviceptr on_device = 0;
  if (memory == Memory::Pinned &&
      driver().mem_host_get_device_pointer(&on_device, own, 0) == 0)
    out->devicePointer = reinterpret_cast<void*>(on_device);
  return 0;
}

}  // namespace api
}  // namespace minitorch::cudart

// The functions of virtual memory management.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/streams/host_races.h"

namespace minitorch::libcuda::api {
namespace {

VirtualMemory& virtual_memory() { return process().virtual_memory; }

void check_location(const CUmemLocation& location) {
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED,
          "got location type ", static_cast<int>(location.type),
          "; need CU_MEM_LOCATION_TYPE_DEVICE.");
  check_device(location.id);
}

/// Memory may be asked for that could be exported: only the export is refused.
void check_properties(const CUmemAllocationProp& properties) {
  require(properties.type == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
          "got allocation type ", static_cast<int>(properties.type),
          "; need CU_MEM_ALLOCATION_TYPE_PINNED.");
  require((properties.requestedHandleTypes &
           ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0,
          CUDA_ERROR_NOT_SUPPORTED, "got handle types ",
          properties.requestedHandleTypes, "; need NONE or POSIX_FILE_DESCRIPTOR.");
  check_location(properties.location);
}

void check_no_flags(unsigned long long flags) {
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
}

void wait_for_all_work() {
  for (const auto& context : process().contexts.all()) context->queues().wait_all();
}

}  // namespace

CUresult mem_address_reserve(CUdeviceptr* pointer, size_t size, size_t alignment,
                             CUdeviceptr, unsigned long long flags) {
  required(pointer, "ptr");
  check_no_flags(flags);
  *pointer = virtual_memory().reserve(size, alignment);
  return CUDA_SUCCESS;
}

CUresult mem_address_free(CUdeviceptr pointer, size_t size) {
  virtual_memory().free(pointer, size);
  return CUDA_SUCCESS;
}

CUresult mem_get_allocation_granularity(size_t* granularity,
                                        const CUmemAllocationProp* properties,
                                        CUmemAllocationGranularity_flags option) {
  required(granularity, "granularity");
  check_properties(required(properties, "prop"));
  require(option == CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
              option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
          CUDA_ERROR_INVALID_VALUE, "got option ", static_cast<int>(option),
          "; need one of CUmemAllocationGranularity_flags.");
  *granularity = Memory::kMapUnit;
  return CUDA_SUCCESS;
}

CUresult mem_create(CUmemGenericAllocationHandle* handle, size_t size,
                    const CUmemAllocationProp* properties, unsigned long long flags) {
  required(handle, "handle");
  check_properties(required(properties, "prop"));
  check_no_flags(flags);
  *handle = virtual_memory().create(size, *properties);
  return CUDA_SUCCESS;
}

CUresult mem_release(CUmemGenericAllocationHandle handle) {
  virtual_memory().release(handle);
  return CUDA_SUCCESS;
}

CUresult mem_retain_allocation_handle(CUmemGenericAllocationHandle* handle,
                                      void* address) {
  required(handle, "handle");
  *handle = virtual_memory().retain(reinterpret_cast<uint64_t>(address));
  return CUDA_SUCCESS;
}

CUresult mem_get_allocation_properties(CUmemAllocationProp* properties,
                                       CUmemGenericAllocationHandle handle) {
  required(properties, "prop") = virtual_memory().properties(handle);
  return CUDA_SUCCESS;
}

CUresult mem_map(CUdeviceptr pointer, size_t size, size_t offset,
                 CUmemGenericAllocationHandle handle, unsigned long long flags) {
  require(offset == 0, CUDA_ERROR_INVALID_VALUE, "got offset ", offset,
          "; need 0, as on hardware.");
  check_no_flags(flags);
  virtual_memory().map(pointer, size, handle);
  if (keeps_order()) host_races().forget(pointer, size);  // who had these addresses
  return CUDA_SUCCESS;
}

CUresult mem_unmap(CUdeviceptr pointer, size_t size) {
  wait_for_all_work();
  virtual_memory().unmap(pointer, size);
  return CUDA_SUCCESS;
}

CUresult mem_set_access(CUdeviceptr pointer, size_t size, const CUmemAccessDesc* wanted,
                        size_t count) {
  required(wanted, "desc");
  require(count > 0, CUDA_ERROR_INVALID_VALUE,
          "got 0 access descriptions; need at least 1.");
  for (size_t i = 0; i < count; ++i) {
    check_location(wanted[i].location);
    const int flags = wanted[i].flags;
    require(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            CUDA_ERROR_INVALID_VALUE, "got access ", flags,
            "; need one of CUmemAccess_flags.");
  }
  virtual_memory().set_access(pointer, size, wanted[count - 1].flags);
  return CUDA_SUCCESS;
}

CUresult mem_get_access(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr pointer) {
  required(flags, "flags");
  check_location(required(location, "location"));
  *flags = static_cast<unsigned long long>(virtual_memory().access(pointer));
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api

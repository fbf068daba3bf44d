// Owns the functions that allocate and describe memory.
#include <cstring>

#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
namespace {

using Kind = Allocation::Kind;

Memory& memory() { return process().device.memory; }

uint64_t allocate(size_t bytes, Kind kind) {
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes; need at least 1.");
  const uint64_t base = current_context()->allocate(bytes, kind);
  require(base != 0, CUDA_ERROR_OUT_OF_MEMORY, "got a request for ", bytes,
          " bytes; need at most ", memory().capacity() - memory().used(), " of ",
          memory().capacity(), ".");
  return base;
}

CUresult release(uint64_t base, Kind kind) {
  const auto context = current_context_even_faulted();
  require(context->release(base, kind), CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex,
          base, "; need the start of a live allocation of this context.");
  return context->fault();  // freed all the same; a synchronising call will tell
}

/// The live allocation that holds `pointer`; fails when there is none.
Allocation allocation_of(CUdeviceptr pointer) {
  const auto table = memory().table();
  const Allocation* found = table->find(pointer);
  require(found != nullptr && found->live, CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex,
          pointer, "; need a pointer into a live allocation.");
  return *found;
}

template <class T>
void answer(void* data, const T& value) {
  std::memcpy(data, &value, sizeof value);
}

void answer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer,
                      const Allocation& allocation) {
  const bool host = allocation.kind == Kind::Host;
  switch (static_cast<int>(attribute)) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer(data, current_context_even_faulted()->handle);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer(data, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer(data, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(host, CUDA_ERROR_INVALID_VALUE, "device memory has no host pointer.");
      return answer(data, pointer);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer(data, static_cast<unsigned long long>(allocation.serial));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer(data, 0u);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer(data, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer(data, allocation.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer(data, static_cast<size_t>(allocation.size));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer(data, 1u);
    default:
      fail(CUDA_ERROR_NOT_SUPPORTED, "pointer attribute ", static_cast<int>(attribute),
           " is not answered.");
  }
}

}  // namespace

CUresult mem_get_info(size_t* free, size_t* total) {
  current_context_even_faulted();
  required(free, "free") = memory().capacity() - memory().used();
  required(total, "total") = memory().capacity();
  return CUDA_SUCCESS;
}

CUresult mem_alloc(CUdeviceptr* pointer, size_t bytes) {
  required(pointer, "dptr");
  *pointer = allocate(bytes, Kind::Device);
  return CUDA_SUCCESS;
}

CUresult mem_free(CUdeviceptr pointer) {
  if (pointer == 0) return CUDA_SUCCESS;
  return release(pointer, Kind::Device);
}

CUresult mem_get_address_range(CUdeviceptr* base, size_t* size, CUdeviceptr pointer) {
  const Allocation allocation = allocation_of(pointer);
  if (base != nullptr) *base = allocation.base;
  if (size != nullptr) *size = allocation.size;
  return CUDA_SUCCESS;
}

/// Managed memory is memory that host and kernels both reach: the arena's host kind.
CUresult mem_alloc_managed(CUdeviceptr* pointer, size_t bytes, unsigned int flags) {
  required(pointer, "dptr");
  require(flags == 1 || flags == 2, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST.");
  *pointer = allocate(bytes, Kind::Host);
  return CUDA_SUCCESS;
}

CUresult mem_host_alloc(void** pointer, size_t bytes, unsigned int flags) {
  required(pointer, "pp");
  require(flags <= 7, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CU_MEMHOSTALLOC_*.");
  *pointer = reinterpret_cast<void*>(allocate(bytes, Kind::Host));
  return CUDA_SUCCESS;
}

CUresult mem_alloc_host(void** pointer, size_t bytes) {
  return mem_host_alloc(pointer, bytes, 0);
}

CUresult mem_free_host(void* pointer) {
  return release(reinterpret_cast<uint64_t>(pointer), Kind::Host);
}

CUresult mem_host_get_device_pointer(CUdeviceptr* device, void* host, unsigned int) {
  required(device, "pdptr");
  const auto address = reinterpret_cast<uint64_t>(host);
  if (!memory().contains(address)) {
    std::lock_guard lock(process().registered_mutex);
    require(process().registered.count(address) == 0, CUDA_ERROR_NOT_SUPPORTED,
            "registered host memory is not reachable by kernels; need cuMemHostAlloc.");
  }
  require(allocation_of(address).kind == Kind::Host, CUDA_ERROR_INVALID_VALUE,
          "got device memory; need memory of cuMemHostAlloc.");
  *device = address;
  return CUDA_SUCCESS;
}

CUresult mem_host_get_flags(unsigned int* flags, void* host) {
  required(flags, "pFlags");
  require(allocation_of(reinterpret_cast<uint64_t>(host)).kind == Kind::Host,
          CUDA_ERROR_INVALID_VALUE,
          "got device memory; need memory of cuMemHostAlloc.");
  *flags = 3;  // portable and mapped: every context and every kernel reaches it
  return CUDA_SUCCESS;
}

CUresult mem_host_register(void* pointer, size_t bytes, unsigned int) {
  current_context();
  required(static_cast<char*>(pointer), "p");
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes; need at least 1.");
  std::lock_guard lock(process().registered_mutex);
  const bool added =
      process().registered.emplace(reinterpret_cast<uint64_t>(pointer), bytes).second;
  return added ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult mem_host_unregister(void* pointer) {
  const auto context = current_context_even_faulted();
  context->queues().wait_all();  // copies may still be reading it
  std::lock_guard lock(process().registered_mutex);
  const bool removed =
      process().registered.erase(reinterpret_cast<uint64_t>(pointer)) != 0;
  return removed ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult pointer_get_attribute(void* data, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  required(static_cast<char*>(data), "data");
  answer_attribute(data, attribute, pointer, allocation_of(pointer));
  return CUDA_SUCCESS;
}

CUresult pointer_get_attributes(unsigned int count, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr pointer) {
  required(attributes, "attributes");
  required(data, "data");
  const auto table = memory().table();
  const Allocation* found = table->find(pointer);
  for (unsigned int i = 0; i < count; ++i) {
    required(static_cast<char*>(data[i]), "data[i]");
    if (found != nullptr && found->live) {
      answer_attribute(data[i], attributes[i], pointer, *found);
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
      answer(data[i], 0u);  // no pointer of ours: no error, but no type either
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) {
      answer(data[i], 0u);
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
      answer(data[i], -2);
    } else {
      answer(data[i], uint64_t{0});
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace minitorch::emulator::driver::api

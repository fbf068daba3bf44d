// Owns the functions about memory pools and allocations in stream order.
#include <cstring>

#include "emulator/driver/capture.h"
#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
namespace {

/// Where pools can be; a location's id is 0, the one device.
void check_location(const CUmemLocation& location) {
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED,
          "got location type ", static_cast<int>(location.type),
          "; need CU_MEM_LOCATION_TYPE_DEVICE.");
  check_device(location.id);
}

std::shared_ptr<Pool> pool_of(CUmemoryPool handle) {
  auto pool = process().pools.find(handle);
  require(pool != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no live memory pool.");
  return pool;
}

std::shared_ptr<Pool> current_pool() {
  std::lock_guard lock(process().pool_mutex);
  return process().current_pool;
}

CUresult allocate_from(const std::shared_ptr<Pool>& pool, CUdeviceptr* pointer,
                       size_t bytes, CUstream handle) {
  required(pointer, "dptr");
  const auto stream = usable_stream(handle);
  if (capture_of(stream) != nullptr) {
    AllocWork work{GraphMemory::create(bytes)};
    *pointer = work.memory->address;
    capture_instead(stream, work);
    return CUDA_SUCCESS;
  }
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes; need at least 1.");
  // The address is needed now, before what the stream still has to free is free.
  const Holding holding{Holding::Origin::Pool, 0, pool};
  uint64_t base = stream->context->allocate(bytes, holding);
  if (base == 0) {
    stream->context->queues().wait_all();
    base = stream->context->allocate(bytes, holding);
  }
  require(base != 0, CUDA_ERROR_OUT_OF_MEMORY, "got a request for ", bytes,
          " bytes of a pool; need less.");
  *pointer = base;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult mem_alloc_async(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return allocate_from(current_pool(), pointer, bytes, stream);
}

CUresult mem_alloc_from_pool_async(CUdeviceptr* pointer, size_t bytes,
                                   CUmemoryPool pool, CUstream stream) {
  return allocate_from(pool_of(pool), pointer, bytes, stream);
}

CUresult mem_free_async(CUdeviceptr pointer, CUstream handle) {
  const auto stream = stream_of(handle);
  if (pointer == 0) return CUDA_SUCCESS;
  const auto of_graph = GraphMemory::find(pointer);
  if (capture_of(stream) != nullptr) {
    require(of_graph != nullptr, CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex, pointer,
            "; need memory that a graph allocates while capturing.");
    capture_instead(stream, FreeWork{of_graph});
    return CUDA_SUCCESS;
  }
  if (of_graph != nullptr) {  // given out by a launch that did not free it
    const auto end = [of_graph] { of_graph->end(); };
    stream->context->queues().submit(stream->queue,
                                     {end, [end](bool) { end(); }, {}, true});
    return CUDA_SUCCESS;
  }
  require(stream->context->release_in(stream->queue, pointer), CUDA_ERROR_INVALID_VALUE,
          "got 0x", std::hex, pointer,
          "; need the start of a live device allocation of this context.");
  return CUDA_SUCCESS;
}

CUresult device_get_default_mem_pool(CUmemoryPool* pool, CUdevice device) {
  check_device(device);
  required(pool, "pool_out") = process().default_pool->handle;
  return CUDA_SUCCESS;
}

CUresult device_get_mem_pool(CUmemoryPool* pool, CUdevice device) {
  check_device(device);
  required(pool, "pool") = current_pool()->handle;
  return CUDA_SUCCESS;
}

CUresult device_set_mem_pool(CUdevice device, CUmemoryPool handle) {
  check_device(device);
  const auto pool = pool_of(handle);
  std::lock_guard lock(process().pool_mutex);
  process().current_pool = pool;
  return CUDA_SUCCESS;
}

CUresult mem_get_default_mem_pool(CUmemoryPool* pool, CUmemLocation* location,
                                  CUmemAllocationType type) {
  check_location(required(location, "location"));
  require(type == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_NOT_SUPPORTED,
          "got allocation type ", static_cast<int>(type), "; need PINNED.");
  return device_get_default_mem_pool(pool, location->id);
}

CUresult mem_get_mem_pool(CUmemoryPool* pool, CUmemLocation* location,
                          CUmemAllocationType type) {
  CUmemoryPool first = nullptr;
  mem_get_default_mem_pool(&first, location, type);
  return device_get_mem_pool(pool, location->id);
}

CUresult mem_set_mem_pool(CUmemLocation* location, CUmemAllocationType type,
                          CUmemoryPool pool) {
  CUmemoryPool first = nullptr;
  mem_get_default_mem_pool(&first, location, type);
  return device_set_mem_pool(location->id, pool);
}

CUresult mem_pool_create(CUmemoryPool* pool, const CUmemPoolProps* wanted) {
  required(pool, "pool");
  const CUmemPoolProps& properties = required(wanted, "poolProps");
  require(properties.allocType == CU_MEM_ALLOCATION_TYPE_PINNED,
          properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED
              ? CUDA_ERROR_NOT_SUPPORTED
              : CUDA_ERROR_INVALID_VALUE,
          "got allocation type ", static_cast<int>(properties.allocType),
          "; need CU_MEM_ALLOCATION_TYPE_PINNED.");
  require(properties.handleTypes == 0, CUDA_ERROR_NOT_SUPPORTED, "got handle types ",
          properties.handleTypes, "; need 0: pools cannot be shared.");
  check_location(properties.location);
  const auto handle = reinterpret_cast<CUmemoryPool>(new_handle_value());
  process().pools.insert_as(handle, std::make_shared<Pool>(handle, properties.maxSize));
  *pool = handle;
  return CUDA_SUCCESS;
}

/// What it gave out lives on; nothing more comes out of it.
CUresult mem_pool_destroy(CUmemoryPool handle) {
  require(handle != process().default_pool->handle, CUDA_ERROR_INVALID_VALUE,
          "got the default pool, which cannot be destroyed.");
  const auto pool = pool_of(handle);
  process().pools.take(handle);
  std::lock_guard lock(process().pool_mutex);
  if (process().current_pool == pool) process().current_pool = process().default_pool;
  return CUDA_SUCCESS;
}

CUresult mem_pool_get_attribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                void* value) {
  const auto pool = pool_of(handle);
  pool->get(attribute, &required(static_cast<char*>(value), "value"));
  return CUDA_SUCCESS;
}

CUresult mem_pool_set_attribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                void* value) {
  const auto pool = pool_of(handle);
  pool->set(attribute, &required(static_cast<char*>(value), "value"));
  return CUDA_SUCCESS;
}

/// Nothing is kept back that could be trimmed.
CUresult mem_pool_trim_to(CUmemoryPool handle, size_t) {
  pool_of(handle);
  return CUDA_SUCCESS;
}

CUresult mem_pool_get_access(int* flags, CUmemoryPool handle, CUmemLocation* location) {
  pool_of(handle);
  check_location(required(location, "location"));
  required(flags, "flags") = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

CUresult mem_pool_set_access(CUmemoryPool handle, const CUmemAccessDesc* map,
                             size_t count) {
  pool_of(handle);
  if (count > 0) required(map, "map");
  for (size_t i = 0; i < count; ++i) {
    check_location(map[i].location);
    require(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            CUDA_ERROR_INVALID_VALUE, "got access ", map[i].flags,
            "; need PROT_READWRITE: a pool's own device keeps its access.");
  }
  return CUDA_SUCCESS;
}

}  // namespace minitorch::emulator::driver::api

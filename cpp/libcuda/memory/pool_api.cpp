// The functions about memory pools and allocations in stream order.
#include <cstring>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"

namespace minitorch::libcuda::api {
namespace {

/// The kind of pool at a place; a device's id is 0, the one device. Managed pools may
/// leave the place open.
PoolKind kind_of(const CUmemLocation& location, CUmemAllocationType type) {
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  require(managed || type == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
          "got allocation type ", static_cast<int>(type),
          "; need CU_MEM_ALLOCATION_TYPE_PINNED or _MANAGED.");
  const bool host = location.type >= CU_MEM_LOCATION_TYPE_HOST &&
                    location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  const bool open = managed && location.type == CU_MEM_LOCATION_TYPE_INVALID;
  require(host || open || location.type == CU_MEM_LOCATION_TYPE_DEVICE,
          CUDA_ERROR_INVALID_VALUE, "got location type ",
          static_cast<int>(location.type), "; need a device's or the host's.");
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) check_device(location.id);
  if (managed) return PoolKind::Managed;
  return host ? PoolKind::Host : PoolKind::Device;
}

/// Who may be asked about: device 0, and the host about memory that it reaches.
void check_location(const CUmemLocation& location, const Pool& pool) {
  const bool host = kind_of(location, CU_MEM_ALLOCATION_TYPE_PINNED) == PoolKind::Host;
  require(!host || pool.kind != PoolKind::Device, CUDA_ERROR_NOT_SUPPORTED,
          "got the host's location for a pool of device memory; need "
          "CU_MEM_LOCATION_TYPE_DEVICE.");
}

std::shared_ptr<Pool> pool_of(CUmemoryPool handle) {
  auto pool = process().pools.find(handle);
  require(pool != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no live memory pool.");
  return pool;
}

std::shared_ptr<Pool> current_pool(PoolKind kind) {
  std::lock_guard lock(process().pool_mutex);
  return process().current_pools[static_cast<size_t>(kind)];
}

void set_current_pool(PoolKind kind, CUmemoryPool handle) {
  const auto pool = pool_of(handle);
  require(pool->kind == kind, CUDA_ERROR_INVALID_VALUE,
          "got a pool of another location or type; need one of the same.");
  std::lock_guard lock(process().pool_mutex);
  process().current_pools[static_cast<size_t>(kind)] = pool;
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
  return allocate_from(current_pool(PoolKind::Device), pointer, bytes, stream);
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
  required(pool, "pool_out") = process().default_pools[0]->handle;
  return CUDA_SUCCESS;
}

CUresult device_get_mem_pool(CUmemoryPool* pool, CUdevice device) {
  check_device(device);
  required(pool, "pool") = current_pool(PoolKind::Device)->handle;
  return CUDA_SUCCESS;
}

CUresult device_set_mem_pool(CUdevice device, CUmemoryPool handle) {
  check_device(device);
  set_current_pool(PoolKind::Device, handle);
  return CUDA_SUCCESS;
}

CUresult mem_get_default_mem_pool(CUmemoryPool* pool, CUmemLocation* location,
                                  CUmemAllocationType type) {
  const PoolKind kind = kind_of(required(location, "location"), type);
  required(pool, "pool_out") =
      process().default_pools[static_cast<size_t>(kind)]->handle;
  return CUDA_SUCCESS;
}

CUresult mem_get_mem_pool(CUmemoryPool* pool, CUmemLocation* location,
                          CUmemAllocationType type) {
  const PoolKind kind = kind_of(required(location, "location"), type);
  required(pool, "pool") = current_pool(kind)->handle;
  return CUDA_SUCCESS;
}

CUresult mem_set_mem_pool(CUmemLocation* location, CUmemAllocationType type,
                          CUmemoryPool pool) {
  set_current_pool(kind_of(required(location, "location"), type), pool);
  return CUDA_SUCCESS;
}

CUresult mem_pool_create(CUmemoryPool* pool, const CUmemPoolProps* wanted) {
  required(pool, "pool");
  const CUmemPoolProps& properties = required(wanted, "poolProps");
  const PoolKind kind = kind_of(properties.location, properties.allocType);
  require(properties.handleTypes == 0, CUDA_ERROR_NOT_SUPPORTED, "got handle types ",
          properties.handleTypes, "; need 0: pools cannot be shared.");
  const auto handle = reinterpret_cast<CUmemoryPool>(new_handle_value());
  process().pools.insert_as(handle,
                            std::make_shared<Pool>(handle, kind, properties.maxSize));
  *pool = handle;
  return CUDA_SUCCESS;
}

/// What it gave out lives on; nothing more comes out of it.
CUresult mem_pool_destroy(CUmemoryPool handle) {
  const auto pool = pool_of(handle);
  const auto& standing = process().default_pools[static_cast<size_t>(pool->kind)];
  require(pool != standing, CUDA_ERROR_INVALID_VALUE,
          "got a default pool, which cannot be destroyed.");
  process().pools.take(handle);
  std::lock_guard lock(process().pool_mutex);
  auto& current = process().current_pools[static_cast<size_t>(pool->kind)];
  if (current == pool) current = standing;
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
  check_location(required(location, "location"), *pool_of(handle));
  required(flags, "flags") = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

CUresult mem_pool_set_access(CUmemoryPool handle, const CUmemAccessDesc* map,
                             size_t count) {
  const auto pool = pool_of(handle);
  if (count > 0) required(map, "map");
  for (size_t i = 0; i < count; ++i) {
    check_location(map[i].location, *pool);
    require(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            CUDA_ERROR_INVALID_VALUE, "got access ", map[i].flags,
            "; need PROT_READWRITE: the device and the host keep their access.");
  }
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api

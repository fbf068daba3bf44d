// The functions that say what a pointer points to.
#include <cstring>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"

namespace minitorch::libcuda::api {
namespace {

/// Whose an allocation is; a variable of a module is the current context's.
struct Holder {
  CUcontext context = nullptr;
  bool managed = false;
  CUmemoryPool pool = nullptr;
};

Holder holder_of(const Allocation& allocation) {
  for (const auto& context : process().contexts.all()) {
    const auto holding = context->holding(allocation.base);
    if (!holding) continue;
    return {context->handle, holding->managed(),
            holding->pool == nullptr ? nullptr : holding->pool->handle};
  }
  const auto& stack = thread_state().contexts;
  return {stack.empty() ? nullptr : stack.back()};
}

template <class T>
void answer(void* data, const T& value) {
  std::memcpy(data, &value, sizeof value);
}

void answer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer,
                      const Allocation& allocation) {
  const bool host = allocation.kind == Allocation::Kind::Host;
  const Holder holder = holder_of(allocation);
  const bool managed = holder.managed;
  switch (static_cast<int>(attribute)) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer(data, holder.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer(data, host && !managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer(data, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(host, CUDA_ERROR_INVALID_VALUE, "device memory has no host pointer.");
      return answer(data, pointer);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer(data, static_cast<unsigned long long>(allocation.serial));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer(data, managed ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return answer(data, 0u);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return answer(data, uint64_t{0});
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return answer(data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer(data, holder.pool);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer(data, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return answer(data, allocation.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return answer(data, static_cast<size_t>(allocation.size));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer(data, 1u);
    default:
      fail(CUDA_ERROR_INVALID_VALUE, "got pointer attribute ",
           static_cast<int>(attribute), "; need one of this CUDA version.");
  }
}

}  // namespace

CUresult pointer_get_attribute(void* data, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  required(static_cast<char*>(data), "data");
  const auto table = device_memory().table();
  const Allocation* found = table->find(pointer);
  require(found != nullptr && found->live, CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex,
          pointer, "; need a pointer into a live allocation.");
  answer_attribute(data, attribute, pointer, *found);
  return CUDA_SUCCESS;
}

/// All copies of the emulator that a client may want synchronous are so already.
CUresult pointer_set_attribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  required(static_cast<const char*>(value), "value");
  require(static_cast<int>(attribute) == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
          CUDA_ERROR_INVALID_VALUE, "got pointer attribute ",
          static_cast<int>(attribute), "; need CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.");
  require(device_memory().holds(pointer, 1), CUDA_ERROR_INVALID_VALUE, "got 0x",
          std::hex, pointer, "; need a pointer into a live allocation.");
  return CUDA_SUCCESS;
}

CUresult pointer_get_attributes(unsigned int count, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr pointer) {
  required(attributes, "attributes");
  required(data, "data");
  const auto table = device_memory().table();
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

}  // namespace minitorch::libcuda::api

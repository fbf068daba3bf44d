// The functions that place managed memory. Here it is plain memory that host and
// kernels both reach, so that advice and prefetches are checked and kept to be read
// back, but of no effect.
#include <algorithm>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"

namespace minitorch::libcuda::api {
namespace {

/// CUmem_advise.
enum : int {
  kSetReadMostly = 1,
  kUnsetReadMostly,
  kSetPreferred,
  kUnsetPreferred,
  kSetAccessedBy,
  kUnsetAccessedBy,
};
constexpr int kHost = -1, kNoDevice = -2;  // CU_DEVICE_CPU, CU_DEVICE_INVALID
constexpr CUmemLocation kNowhere{CU_MEM_LOCATION_TYPE_INVALID, 0};

void check_managed(CUdeviceptr pointer, size_t bytes) {
  const Memory& memory = process().device.memory;
  const auto table = memory.table();
  const Allocation* found = table->find(pointer);
  bool managed = false;
  for (const auto& context : process().contexts.all()) {
    const auto holding = found ? context->holding(found->base) : std::nullopt;
    managed |= holding && holding->managed();
  }
  require(bytes > 0 && managed && memory.holds(pointer, bytes),
          CUDA_ERROR_INVALID_VALUE, "got ", bytes, " bytes at 0x", std::hex, pointer,
          "; need a range inside one allocation of cuMemAllocManaged.");
}

CUmemLocation location_of(CUdevice device) {
  if (device == kHost) return {CU_MEM_LOCATION_TYPE_HOST, 0};
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

void check_place(const CUmemLocation& location) {
  require(location.type >= CU_MEM_LOCATION_TYPE_DEVICE &&
              location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
          CUDA_ERROR_INVALID_VALUE, "got location type ",
          static_cast<int>(location.type), "; need a device's or the host's.");
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) check_device(location.id);
}

void check_advice(int advice) {
  require(advice >= kSetReadMostly && advice <= kUnsetAccessedBy,
          CUDA_ERROR_INVALID_VALUE, "got advice ", advice,
          "; need one of CUmem_advise.");
}

}  // namespace

CUresult mem_advise_v2(CUdeviceptr pointer, size_t bytes, int advice,
                       CUmemLocation location) {
  check_advice(advice);
  check_managed(pointer, bytes);
  check_place(location);
  const bool device = location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  process().advice.change(pointer, bytes, [&](Advice& known) {
    if (advice == kSetReadMostly) known.read_mostly = true;
    if (advice == kUnsetReadMostly) known.read_mostly = false;
    if (advice == kSetPreferred) known.preferred = location;
    if (advice == kUnsetPreferred) known.preferred = kNowhere;
    if (advice == kSetAccessedBy && device) known.used_by_device = true;
    if (advice == kUnsetAccessedBy && device) known.used_by_device = false;
  });
  return CUDA_SUCCESS;
}

CUresult mem_advise(CUdeviceptr pointer, size_t bytes, int advice, CUdevice device) {
  return mem_advise_v2(pointer, bytes, advice, location_of(device));
}

CUresult mem_prefetch_async_v2(CUdeviceptr pointer, size_t bytes,
                               CUmemLocation location, unsigned int flags,
                               CUstream stream) {
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  usable_stream(stream);
  check_managed(pointer, bytes);
  check_place(location);
  process().advice.change(pointer, bytes,
                          [&](Advice& known) { known.prefetched = location; });
  return CUDA_SUCCESS;
}

CUresult mem_prefetch_async(CUdeviceptr pointer, size_t bytes, CUdevice device,
                            CUstream stream) {
  return mem_prefetch_async_v2(pointer, bytes, location_of(device), 0, stream);
}

namespace {

/// What the attributes with one number say of a location.
int number_of(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_INVALID) return kNoDevice;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : kHost;
}

int range_attribute(CUmem_range_attribute attribute, CUdeviceptr pointer,
                    size_t bytes) {
  const auto common = [&](auto part, int otherwise) {
    return process().advice.common(pointer, bytes, part).value_or(otherwise);
  };
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      return common([](const Advice& at) { return int{at.read_mostly}; }, 0);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      return common([](const Advice& at) { return number_of(at.preferred); },
                    kNoDevice);
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
      return common([](const Advice& at) { return at.used_by_device ? 0 : kNoDevice; },
                    kNoDevice);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      return common([](const Advice& at) { return number_of(at.prefetched); },
                    kNoDevice);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return common([](const Advice& at) { return int{at.preferred.type}; }, 0);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return common([](const Advice& at) { return at.preferred.id; }, 0);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return common([](const Advice& at) { return int{at.prefetched.type}; }, 0);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      return common([](const Advice& at) { return at.prefetched.id; }, 0);
  }
  fail(CUDA_ERROR_INVALID_VALUE, "got range attribute ", static_cast<int>(attribute),
       "; need one of CUmem_range_attribute.");
}

}  // namespace

/// One number; of the devices that use the range a list, filled up with none.
CUresult mem_range_get_attribute(void* data, size_t data_bytes,
                                 CUmem_range_attribute attribute, CUdeviceptr pointer,
                                 size_t bytes) {
  int* const numbers = &required(static_cast<int*>(data), "data");
  const bool list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
  require(data_bytes > 0 && data_bytes % sizeof(int) == 0 &&
              (list || data_bytes == sizeof(int)),
          CUDA_ERROR_INVALID_VALUE, "got room for ", data_bytes, " bytes; need ",
          list ? "a multiple of 4." : "4.");
  check_managed(pointer, bytes);
  numbers[0] = range_attribute(attribute, pointer, bytes);
  std::fill(numbers + 1, numbers + data_bytes / sizeof(int), kNoDevice);
  return CUDA_SUCCESS;
}

CUresult mem_range_get_attributes(void** data, size_t* data_bytes,
                                  CUmem_range_attribute* attributes, size_t count,
                                  CUdeviceptr pointer, size_t bytes) {
  required(data, "data");
  required(data_bytes, "dataSizes");
  required(attributes, "attributes");
  require(count > 0, CUDA_ERROR_INVALID_VALUE, "got 0 attributes; need at least 1.");
  for (size_t i = 0; i < count; ++i) {
    mem_range_get_attribute(data[i], data_bytes[i], attributes[i], pointer, bytes);
  }
  return CUDA_SUCCESS;
}

CUresult stream_attach_mem_async(CUstream stream, CUdeviceptr pointer, size_t bytes,
                                 unsigned int flags) {
  usable_stream(stream);
  require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
              flags == CU_MEM_ATTACH_SINGLE,
          CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need one of CUmemAttach_flags.");
  check_managed(pointer, bytes == 0 ? 1 : bytes);
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api

// Owns the functions that place managed memory. Here it is plain memory that host and
// kernels both reach, so that advice and prefetches are checked and then of no effect.
#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
namespace {

constexpr int kFirstAdvice = 1, kLastAdvice = 6;
constexpr int kHost = -1;  // CU_DEVICE_CPU

void check_managed(CUdeviceptr pointer, size_t bytes) {
  const Memory& memory = process().device.memory;
  const auto table = memory.table();
  const Allocation* found = table->find(pointer);
  bool managed = false;
  for (const auto& context : process().contexts.all()) {
    const auto holding = found ? context->holding(found->base) : std::nullopt;
    managed |= holding && holding->origin == Holding::Origin::Managed;
  }
  require(bytes > 0 && managed && memory.holds(pointer, bytes),
          CUDA_ERROR_INVALID_VALUE, "got ", bytes, " bytes at 0x", std::hex, pointer,
          "; need a range inside one allocation of cuMemAllocManaged.");
}

void check_place(int device) {
  if (device != kHost) check_device(device);
}

void check_place(const CUmemLocation& location) {
  require(location.type >= CU_MEM_LOCATION_TYPE_DEVICE &&
              location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
          CUDA_ERROR_INVALID_VALUE, "got location type ",
          static_cast<int>(location.type), "; need a device's or the host's.");
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) check_device(location.id);
}

void check_advice(int advice) {
  require(advice >= kFirstAdvice && advice <= kLastAdvice, CUDA_ERROR_INVALID_VALUE,
          "got advice ", advice, "; need one of CUmem_advise.");
}

}  // namespace

CUresult mem_advise(CUdeviceptr pointer, size_t bytes, int advice, CUdevice device) {
  check_advice(advice);
  check_managed(pointer, bytes);
  check_place(device);
  return CUDA_SUCCESS;
}

CUresult mem_advise_v2(CUdeviceptr pointer, size_t bytes, int advice,
                       CUmemLocation location) {
  check_advice(advice);
  check_managed(pointer, bytes);
  check_place(location);
  return CUDA_SUCCESS;
}

CUresult mem_prefetch_async(CUdeviceptr pointer, size_t bytes, CUdevice device,
                            CUstream stream) {
  usable_stream(stream);
  check_managed(pointer, bytes);
  check_place(device);
  return CUDA_SUCCESS;
}

CUresult mem_prefetch_async_v2(CUdeviceptr pointer, size_t bytes,
                               CUmemLocation location, unsigned int flags,
                               CUstream stream) {
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  usable_stream(stream);
  check_managed(pointer, bytes);
  check_place(location);
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

}  // namespace minitorch::emulator::driver::api

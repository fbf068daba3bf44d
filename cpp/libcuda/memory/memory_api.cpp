// The functions that allocate and free memory.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"
#include "libcuda/memory/registered_host.h"

namespace minitorch::libcuda::api {
namespace {

using Kind = Allocation::Kind;
using Origin = Holding::Origin;

constexpr size_t kPitch = 512;  // what rows of pitched memory are aligned to
constexpr unsigned int kHostAllocFlags = 0x7, kRegisterFlags = 0xf;

uint64_t allocate(size_t bytes, const Holding& holding) {
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes; need at least 1.");
  const auto context = current_context();
  require_no_capture_anywhere("allocating memory");
  uint64_t base = context->allocate(bytes, holding);
  if (base == 0) {
    context->queues().wait_all();  // streams may have memory to free
    base = context->allocate(bytes, holding);
  }
  require(base != 0, CUDA_ERROR_OUT_OF_MEMORY, "got a request for ", bytes,
          " bytes; need at most ", device_memory().capacity() - device_memory().used(),
          " of ", device_memory().capacity(), ".");
  return base;
}

CUresult release(uint64_t base, bool host) {
  require_no_capture_anywhere("freeing memory");
  // Addresses are unique: a pointer says whose it is, with any context current or none.
  for (const auto& context : process().contexts.all()) {
    // Freed all the same after a fault; a synchronising call will tell.
    if (context->release(base, host)) return context->fault();
  }
  fail(CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex, base,
       "; need the start of a live allocation.");
}

/// The live allocation that holds `pointer`; fails when there is none.
Allocation allocation_of(CUdeviceptr pointer) {
  const auto table = device_memory().table();
  const Allocation* found = table->find(pointer);
  require(found != nullptr && found->live, CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex,
          pointer, "; need a pointer into a live allocation.");
  return *found;
}

}  // namespace

CUresult mem_get_info(size_t* free, size_t* total) {
  current_context_even_faulted();
  required(free, "free") = device_memory().capacity() - device_memory().used();
  required(total, "total") = device_memory().capacity();
  return CUDA_SUCCESS;
}

CUresult mem_alloc(CUdeviceptr* pointer, size_t bytes) {
  required(pointer, "dptr");
  *pointer = allocate(bytes, {Origin::Device, 0, nullptr});
  return CUDA_SUCCESS;
}

CUresult mem_alloc_pitch(CUdeviceptr* pointer, size_t* pitch, size_t width,
                         size_t height, unsigned int element) {
  required(pointer, "dptr");
  required(pitch, "pPitch");
  require(element == 4 || element == 8 || element == 16, CUDA_ERROR_INVALID_VALUE,
          "got elements of ", element, " bytes; need 4, 8 or 16.");
  require(width > 0 && height > 0 && width <= device_memory().capacity() &&
              height <= device_memory().capacity() / width,
          width > 0 && height > 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE,
          "got ", width, " bytes x ", height, " rows; need at least 1 and at most ",
          device_memory().capacity(), " bytes.");
  const size_t row = (width + kPitch - 1) / kPitch * kPitch;
  *pointer = allocate(row * height, {Origin::Device, 0, nullptr});
  *pitch = row;
  return CUDA_SUCCESS;
}

CUresult mem_free(CUdeviceptr pointer) {
  if (pointer == 0) return CUDA_SUCCESS;
  if (const auto of_graph = GraphMemory::find(pointer)) {
    current_context_even_faulted()->queues().wait_all();
    of_graph->end();  // the graph keeps the address
    return CUDA_SUCCESS;
  }
  return release(pointer, false);
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
  require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST,
          CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST.");
  *pointer = allocate(bytes, {Origin::Managed, flags, nullptr});
  process().advice.forget(*pointer, bytes);  // of who had these addresses before
  return CUDA_SUCCESS;
}

CUresult mem_host_alloc(void** pointer, size_t bytes, unsigned int flags) {
  required(pointer, "pp");
  require(flags <= kHostAllocFlags, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CU_MEMHOSTALLOC_*.");
  *pointer = reinterpret_cast<void*>(allocate(bytes, {Origin::Host, flags, nullptr}));
  return CUDA_SUCCESS;
}

CUresult mem_alloc_host(void** pointer, size_t bytes) {
  return mem_host_alloc(pointer, bytes, 0);
}

CUresult mem_free_host(void* pointer) {
  return release(reinterpret_cast<uint64_t>(pointer), true);
}

CUresult mem_host_get_device_pointer(CUdeviceptr* device, void* host, unsigned int) {
  required(device, "pdptr");
  const auto address = reinterpret_cast<uint64_t>(host);
  *device = map_registered(address);
  if (*device != 0) return CUDA_SUCCESS;
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

CUresult mem_host_register(void* pointer, size_t bytes, unsigned int flags) {
  current_context();
  required(static_cast<char*>(pointer), "p");
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes; need at least 1.");
  require(flags <= kRegisterFlags, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CU_MEMHOSTREGISTER_*.");
  const auto base = reinterpret_cast<uint64_t>(pointer);
  std::lock_guard lock(process().registered_mutex);
  auto& registered = process().registered;
  const auto after = registered.lower_bound(base);
  const bool overlaps_next = after != registered.end() && after->first - base < bytes;
  const bool overlaps_last =
      after != registered.begin() &&
      base - std::prev(after)->first < std::prev(after)->second.bytes;
  require(!overlaps_next && !overlaps_last, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
          "part of the range is registered already.");
  registered.emplace(base, Process::Registered{base, bytes, nullptr});
  return CUDA_SUCCESS;
}

CUresult mem_host_unregister(void* pointer) {
  const auto context = current_context_even_faulted();
  context->queues().wait_all();  // copies may still be reading it
  std::lock_guard lock(process().registered_mutex);
  const bool removed =
      process().registered.erase(reinterpret_cast<uint64_t>(pointer)) != 0;
  return removed ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

}  // namespace minitorch::libcuda::api

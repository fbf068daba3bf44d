// A stand-in for a driver library: memory by counting, streams and events that log.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// State of the one fake driver; `make_fake` starts it afresh.
struct Fake {
  size_t capacity = size_t{1} << 40;
  size_t used = 0;
  CUdeviceptr next = 0x10000;
  std::map<CUdeviceptr, size_t> blocks;
  std::map<CUdeviceptr, size_t> extents;  // emulator only
  std::map<CUdeviceptr, bool> freed;      // emulator only
  std::vector<std::string> log;
  int version = 13000;
  int devices = 1;
  int retained = 0;
  CUstream busy = nullptr;                    // a stream with work
  CUresult set_extent_result = CUDA_SUCCESS;  // emulator only
  std::string jit_log;                        // not empty: modules are refused with it
};
inline Fake fake;

namespace fake_calls {

template <class F>
struct Quiet;
template <class... Args>
struct Quiet<CUresult (*)(Args...)> {
  static CUresult call(Args...) { return CUDA_SUCCESS; }
};

inline CUresult version(int* out) { return *out = fake.version, CUDA_SUCCESS; }
inline CUresult count(int* out) { return *out = fake.devices, CUDA_SUCCESS; }
inline CUresult name(char* out, int, CUdevice) {
  return std::string("Fake").copy(out, 4), out[4] = '\0', CUDA_SUCCESS;
}
inline CUresult attribute(int* out, CUdevice_attribute which, CUdevice) {
  *out = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 7 : 5;
  return CUDA_SUCCESS;
}
inline CUresult retain(CUcontext* out, CUdevice) {
  *out = reinterpret_cast<CUcontext>(&fake);
  fake.retained += 1;
  return CUDA_SUCCESS;
}
inline CUresult release(CUdevice) { return fake.retained -= 1, CUDA_SUCCESS; }
inline CUresult allocate(CUdeviceptr* out, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (fake.used + bytes > fake.capacity) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = fake.next;
  fake.next += bytes + 4096;
  fake.used += bytes;
  fake.blocks[*out] = bytes;
  return CUDA_SUCCESS;
}
inline CUresult release_memory(CUdeviceptr pointer) {
  const auto found = fake.blocks.find(pointer);
  if (found == fake.blocks.end()) return CUDA_ERROR_INVALID_VALUE;
  fake.used -= found->second;
  fake.blocks.erase(found);
  return CUDA_SUCCESS;
}
inline CUresult memory_info(size_t* free, size_t* total) {
  *total = fake.capacity;
  *free = fake.capacity - fake.used;
  return CUDA_SUCCESS;
}
inline std::string stream_name(CUstream stream) {
  return std::to_string(reinterpret_cast<uintptr_t>(stream));
}
inline CUresult record(CUevent, CUstream stream) {
  return fake.log.push_back("record on " + stream_name(stream)), CUDA_SUCCESS;
}
inline CUresult wait(CUstream stream, CUevent, unsigned) {
  return fake.log.push_back("wait on " + stream_name(stream)), CUDA_SUCCESS;
}
inline CUresult query(CUstream stream) {
  const bool busy = stream && stream == fake.busy;
  return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
inline CUresult load(CUmodule*, const void*, unsigned, CUjit_option*, void** values) {
  if (fake.jit_log.empty()) return CUDA_SUCCESS;
  char* log = static_cast<char*>(values[0]);
  log[fake.jit_log.copy(log, fake.jit_log.size())] = '\0';
  return CUDA_ERROR_INVALID_PTX;
}
inline CUresult set_extent(CUdeviceptr pointer, size_t bytes, CUstream) {
  fake.extents[pointer] = bytes;
  fake.freed[pointer] = false;
  return fake.set_extent_result;
}
inline CUresult mark_freed(CUdeviceptr pointer, CUstream) {
  return fake.freed[pointer] = true, CUDA_SUCCESS;
}
inline CUresult inspect_version(int* out) { return *out = 4000, CUDA_SUCCESS; }

}  // namespace fake_calls

/// Every symbol a driver has; `emulator` adds the inspection interface.
inline std::map<std::string, void*> fake_symbols(bool emulator) {
  std::map<std::string, void*> symbols;
#define CU_FUNCTION(member, symbol, parameters) \
  symbols[#symbol] =                            \
      reinterpret_cast<void*>(&fake_calls::Quiet<CUresult(*) parameters>::call);
#include "cuda_abi/driver_functions.inc"
  if (emulator) {
#define INSPECT_FUNCTION(member, symbol, parameters) \
  CU_FUNCTION(member, symbol, parameters)
#include "cuda_abi/inspect_functions.inc"
#undef INSPECT_FUNCTION
    symbols["mtInspectVersion"] = reinterpret_cast<void*>(fake_calls::inspect_version);
    symbols["mtSetExtent"] = reinterpret_cast<void*>(fake_calls::set_extent);
    symbols["mtMarkFreed"] = reinterpret_cast<void*>(fake_calls::mark_freed);
  }
#undef CU_FUNCTION
  const auto set = [&](const char* symbol, auto* function) {
    symbols[symbol] = reinterpret_cast<void*>(function);
  };
  set("cuDriverGetVersion", fake_calls::version);
  set("cuDeviceGetCount", fake_calls::count);
  set("cuDeviceGetName", fake_calls::name);
  set("cuDeviceGetAttribute", fake_calls::attribute);
  set("cuDevicePrimaryCtxRetain", fake_calls::retain);
  set("cuDevicePrimaryCtxRelease_v2", fake_calls::release);
  set("cuMemAlloc_v2", fake_calls::allocate);
  set("cuMemFree_v2", fake_calls::release_memory);
  set("cuMemGetInfo_v2", fake_calls::memory_info);
  set("cuEventRecord", fake_calls::record);
  set("cuStreamWaitEvent", fake_calls::wait);
  set("cuStreamQuery", fake_calls::query);
  set("cuModuleLoadDataEx", fake_calls::load);
  return symbols;
}

inline std::shared_ptr<Api> open_fake(std::map<std::string, void*> symbols) {
  return Api::from_symbols("libfake.so", [symbols](const char* symbol) -> void* {
    const auto found = symbols.find(symbol);
    return found == symbols.end() ? nullptr : found->second;
  });
}

inline std::shared_ptr<Api> make_fake(bool emulator = false) {
  fake = Fake{};
  return open_fake(fake_symbols(emulator));
}

}  // namespace minitorch::cuda_client

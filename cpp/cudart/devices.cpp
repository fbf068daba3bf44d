// Devices, versions and the words for errors.
#include <cstring>

#include "cudart/api.h"
#include "cudart/binaries.h"
#include "cudart/call.h"
#include "cudart/driver.h"
#include "cudart/report.h"

namespace minitorch::cudart::api {

constexpr int kVersion = 13000;

const char* error_name(int error) {
  switch (error) {
#define CUDART_ERROR(name, value) \
  case value:                     \
    return #name;
#define CUDART_ERROR_TEXT(value, text)
#include "cuda_abi/runtime_errors.inc"
#undef CUDART_ERROR
#undef CUDART_ERROR_TEXT
    default:
      return "unrecognized error code";
  }
}

const char* error_text(int error) {
  switch (error) {
#define CU_RESULT(name, value, text) \
  case value:                        \
    return text;
#define CUDART_ERROR(name, value)
#define CUDART_ERROR_TEXT(value, text) \
  case value:                          \
    return text;
#include "cuda_abi/results.inc"
#include "cuda_abi/runtime_errors.inc"
#undef CU_RESULT
#undef CUDART_ERROR
#undef CUDART_ERROR_TEXT
    default:
      return error_name(error);
  }
}

int runtime_version(int* version) {
  if (version == nullptr) return refuse(cudaErrorInvalidValue);
  *version = kVersion;
  return 0;
}

int driver_version(int* version) { return driver().driver_get_version(version); }

int driver_entry_point_of(const char* symbol, void** function, unsigned int version,
                          unsigned long long flags, int* status) {
  CUdriverProcAddressQueryResult found{};
  if (flags == 0 && thread_state().per_thread)
    flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  const int result = driver().get_proc_address(
      symbol, function, static_cast<int>(version), flags, &found);
  if (status != nullptr) *status = found;
  return result;
}

int driver_entry_point(const char* symbol, void** function, unsigned long long flags,
                       int* status) {
  return driver_entry_point_of(symbol, function, kVersion, flags, status);
}

int device_count(int* count) { return driver().device_get_count(count); }

int get_device(int* device) {
  if (device == nullptr) return refuse(cudaErrorInvalidValue);
  if (driver().ctx_get_device(device) != 0) *device = thread_state().device;
  return 0;
}

int set_device(int device) {
  int count = 0;
  int result = driver().device_get_count(&count);
  if (result == 0 && (device < 0 || device >= count))
    result = refuse(cudaErrorInvalidDevice);
  if (result != 0) return result;
  thread_state().device = device;
  driver().ctx_set_current(nullptr);
  return enter(true);
}

int init_device(int device, unsigned int, unsigned int) {
  int before = 0;
  get_device(&before);
  const int result = set_device(device);
  return result != 0 ? result : set_device(before);
}

int set_valid_devices(int*, int) { return 0; }

int choose_device(int* device, const cudart_properties*) {
  if (device == nullptr) return refuse(cudaErrorInvalidValue);
  *device = 0;
  return 0;
}

int set_device_flags(unsigned int flags) {
  return driver().primary_ctx_set_flags(thread_state().device, flags);
}

int device_attribute(int* value, int attribute, int device) {
  return driver().device_get_attribute(
      value, static_cast<CUdevice_attribute>(attribute), device);
}

int device_reset() {
  int device = 0;
  get_device(&device);
  unload_binaries();
  forget_primary(device);
  driver().ctx_set_current(nullptr);
  thread_state().last_error = 0;
  report_all_freed();
  return 0;
}

int device_properties(cudart_properties* out, int device) {
  if (out == nullptr) return refuse(cudaErrorInvalidValue);
  *out = {};
  int result = driver().device_get_name(out->name, sizeof out->name, device);
  if (result == 0) result = driver().device_get_uuid(&out->uuid, device);
  if (result == 0) result = driver().device_total_mem(&out->totalGlobalMem, device);
  const auto get = [&](CUdevice_attribute attribute) {
    int value = 0;
    if (result == 0) driver().device_get_attribute(&value, attribute, device);
    return value;
  };
#define PROPERTY(field, attribute) out->field = get(CU_DEVICE_ATTRIBUTE_##attribute);
#include "cudart/properties.inc"
#undef PROPERTY
  return result;
}

cudart_channel channel(int x, int y, int z, int w, int f) { return {x, y, z, w, f}; }

}  // namespace minitorch::cudart::api

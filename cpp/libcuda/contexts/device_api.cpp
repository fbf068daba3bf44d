// The functions that describe the device.
#include <cstdio>
#include <cstring>

#include "libcuda/contexts/attributes.h"
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"

namespace minitorch::libcuda::api {
namespace {

constexpr const char* kBusId = "0000:00:1E.0";

const base::CardProfile& profile() { return process().device.profile; }

}  // namespace

CUresult device_get(CUdevice* device, int ordinal) {
  required(device, "device");
  check_device(ordinal);
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult device_get_count(int* count) {
  required(count, "count") = 1;
  return CUDA_SUCCESS;
}

CUresult device_get_name(char* name, int length, CUdevice device) {
  check_device(device);
  required(name, "name");
  require(length > 0, CUDA_ERROR_INVALID_VALUE, "got length ", length, "; need > 0.");
  std::snprintf(name, static_cast<size_t>(length), "%.*s",
                static_cast<int>(profile().name.size()), profile().name.data());
  return CUDA_SUCCESS;
}

CUresult device_get_uuid(CUuuid* uuid, CUdevice device) {
  check_device(device);
  required(uuid, "uuid");
  // The profile's key in letters, so that two profiles differ and no card has the same.
  std::memset(uuid->bytes, 0, sizeof uuid->bytes);
  std::memcpy(uuid->bytes, "mt-emu", 6);
  std::memcpy(uuid->bytes + 8, profile().key.data(),
              std::min<size_t>(profile().key.size(), 8));
  return CUDA_SUCCESS;
}

CUresult device_total_mem(size_t* bytes, CUdevice device) {
  check_device(device);
  required(bytes, "bytes") = process().device.memory.capacity();
  return CUDA_SUCCESS;
}

CUresult device_compute_capability(int* major, int* minor, CUdevice device) {
  check_device(device);
  required(major, "major") = profile().compute_major;
  required(minor, "minor") = profile().compute_minor;
  return CUDA_SUCCESS;
}

CUresult device_get_attribute(int* value, CUdevice_attribute attribute,
                              CUdevice device) {
  required(value, "pi");
  check_device(device);
  const auto found = attribute_value(process().device, attribute);
  require(found.has_value(), CUDA_ERROR_INVALID_VALUE, "got device attribute ",
          static_cast<int>(attribute), "; need one of this CUDA version.");
  *value = *found;
  return CUDA_SUCCESS;
}

CUresult device_get_pci_bus_id(char* text, int length, CUdevice device) {
  check_device(device);
  required(text, "pciBusId");
  require(length >= 13, CUDA_ERROR_INVALID_VALUE, "got length ", length,
          "; need 13 or more.");
  std::snprintf(text, static_cast<size_t>(length), "%s", kBusId);
  return CUDA_SUCCESS;
}

CUresult device_get_by_pci_bus_id(CUdevice* device, const char* text) {
  required(device, "dev");
  require(std::strcmp(&required(text, "pciBusId"), kBusId) == 0,
          CUDA_ERROR_INVALID_DEVICE, "got '", text, "'; need '", kBusId, "'.");
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult device_can_access_peer(int* can, CUdevice device, CUdevice peer) {
  required(can, "canAccessPeer") = 0;
  check_device(device);
  check_device(peer);
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api

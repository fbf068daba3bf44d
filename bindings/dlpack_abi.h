// The memory layout of DLPack's exchange structs, as its public specification
// (dmlc.github.io/dlpack) fixes it.
#pragma once

#include <cstdint>

namespace minitorch::bindings::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kBool = 6 };

struct Device {
  int32_t type, index;
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t dims;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for row-major
  uint64_t byte_offset;
};

/// What a capsule called "dltensor" holds.
struct Managed {
  static constexpr const char* kName = "dltensor";
  static constexpr const char* kUsedName = "used_dltensor";
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Version {
  uint32_t major, minor;
};

constexpr uint64_t kReadOnly = 1, kIsCopied = 2;

/// What a capsule called "dltensor_versioned" holds.
struct ManagedVersioned {
  static constexpr const char* kName = "dltensor_versioned";
  static constexpr const char* kUsedName = "used_dltensor_versioned";
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace minitorch::bindings::dlpack

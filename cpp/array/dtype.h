// The element types and their sizes; computes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace minitorch::array {

/// NumPy's promotion order is not implied by the enumerator order.
enum class Dtype : uint8_t {
  Float32,
  Float64,
  Float16,
  BFloat16,
  Int32,
  Int64,
  UInt8,
  Bool
};

size_t size_of(Dtype dtype);
const char* dtype_name(Dtype dtype);  // "float32", "int64", "bool": NumPy's names

enum class Device : uint8_t { Cpu, Cuda };
const char* device_name(Device device);  // "cpu", "cuda"

bool is_floating(Dtype dtype);
/// float16 or bfloat16: stored in 16 bits, computed with in float32.
bool is_half(Dtype dtype);

/// The dtype or device of that name; TypeError or ValueError names the choices.
Dtype parse_dtype(const std::string& name);
Device parse_device(const std::string& name);

/// The type that holds the result of an operation on both, by NumPy's rules.
Dtype promote(Dtype a, Dtype b);

}  // namespace minitorch::array

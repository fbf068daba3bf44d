// Owns the element types and their sizes; computes nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minitorch::array {

/// NumPy's promotion order is not implied by the enumerator order.
enum class Dtype : uint8_t { Float32, Float64, Float16, BFloat16, Int32, Int64, UInt8, Bool };

size_t size_of(Dtype dtype);
const char* dtype_name(Dtype dtype);  // "float32", "int64", "bool": NumPy's names

enum class Device : uint8_t { Cpu, Cuda };
const char* device_name(Device device);  // "cpu", "cuda"

}  // namespace minitorch::array

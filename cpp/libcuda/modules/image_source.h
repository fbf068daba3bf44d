// What clients may hand over as code: PTX text, or a fat binary that holds some.
#pragma once

#include <cstddef>
#include <string>

#include "libcuda/contexts/device.h"

namespace minitorch::libcuda {

/// The PTX in `image`. Text ends at its first NUL, or after `bytes`; kUnsized where the
/// client gave no size. Throws Failure: NO_BINARY_FOR_GPU for machine code and LTO
/// code, with the way to PTX in the message; INVALID_IMAGE when damaged.
inline constexpr size_t kUnsized = ~size_t{0};
std::string ptx_of(const Device& device, const void* image, size_t bytes = kUnsized);

/// All bytes of a file. Throws Failure FILE_NOT_FOUND.
std::string file_bytes(const char* path);

}  // namespace minitorch::libcuda

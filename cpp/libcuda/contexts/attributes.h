// What the emulated card answers to each device attribute.
#pragma once

#include <optional>

#include "cuda_abi/driver_types.h"
#include "libcuda/contexts/device.h"

namespace minitorch::libcuda {

/// The value for this profile; 0 for what the emulator does not offer; none for a
/// number that is no attribute.
std::optional<int> attribute_value(const Device& device, CUdevice_attribute attribute);

}  // namespace minitorch::libcuda

// Owns the check of a launch's shape against card and kernel. Must not know arguments.
#pragma once

#include <cstdint>

#include "base/dim3.h"
#include "runtime/kernel.h"

namespace minitorch::runtime {

/// Throws LaunchError("launch_config") with the values unless the card can run it.
void check_launch_shape(const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
                        uint32_t dynamic_shared);

/// Blocks of `threads` threads that the whole card holds at once.
int64_t most_resident_blocks(const Kernel& kernel, uint32_t threads,
                             uint32_t dynamic_shared);

/// Lets launches of `kernel` take up to `bytes` of dynamic shared memory, beyond the
/// default of 48 KiB. Throws LaunchError("launch_config") when the card has less.
void allow_dynamic_shared(Kernel& kernel, uint32_t bytes);

}  // namespace minitorch::runtime

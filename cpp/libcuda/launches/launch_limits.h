// What a kernel may use on the profile's card: checks before a launch, resources of a
// function, occupancy.
#pragma once

#include <cstddef>

#include "base/dim3.h"
#include "base/occupancy.h"
#include "libcuda/modules/image.h"

namespace minitorch::libcuda {

struct LaunchShape {
  base::Dim3 grid, block;
  uint32_t dynamic_shared = 0;
};

/// Throws Failure with the limit that `shape` breaks, as the driver's result and in
/// words.
void check_launch(const Device& device, const Function& function,
                  const LaunchShape& shape);

/// cuFuncGetAttribute; throws Failure for an unknown attribute.
int function_attribute(const Device& device, const Function& function,
                       CUfunction_attribute attribute);

/// What a block of `function` takes of a multiprocessor; its size and dynamic shared
/// memory are the caller's to add.
base::BlockNeeds block_needs(const Device& device, const Function& function);

/// Blocks of `block_size` threads that one multiprocessor holds at once.
int resident_blocks(const Device& device, const Function& function, int block_size,
                    size_t dynamic_shared);

}  // namespace minitorch::libcuda

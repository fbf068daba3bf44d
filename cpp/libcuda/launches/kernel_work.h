// What a kernel launch is, from the client's arguments to its run in a stream.
#pragma once

#include <memory>
#include <vector>

#include "libcuda/contexts/context.h"
#include "libcuda/launches/launch_limits.h"
#include "libcuda/modules/image.h"

namespace minitorch::libcuda {

/// A launch that has been checked; holds everything that it needs.
struct KernelWork {
  CUfunction handle = nullptr;
  std::shared_ptr<Function> function;
  LaunchShape shape;
  std::vector<uint8_t> parameters;  // packed
  bool cooperative = false;         // blocks may wait for each other: all run at once
  MtLaunchOptions options = {};     // of the thread that made the work
};

/// Reads the parameters from `values` or `extra` as cuLaunchKernel does and checks the
/// limits; throws Failure.
KernelWork kernel_work(CUfunction handle, const LaunchShape& shape, void** values,
                       void** extra);

/// Makes the launch cooperative; throws Failure for more blocks than the card holds at
/// once.
void make_cooperative(KernelWork& work);

/// With the checks, budget and tag of the work. `in_graph`: beside other nodes, and
/// recorded if the thread that launches the graph wants records (mtSetLaunchOptions).
Operation operation_of(const KernelWork& work, const std::shared_ptr<Stream>& stream,
                       bool in_graph = false);

}  // namespace minitorch::libcuda

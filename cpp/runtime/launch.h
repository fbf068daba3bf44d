// Launch a compiled kernel: check the configuration against the device, and enqueue.
#pragma once

#include <memory>

#include "runtime/kernel.h"
#include "runtime/launch_arguments.h"
#include "runtime/launch_site.h"

namespace minitorch::runtime {

/// Launches, and records kernel, grid, block and time for `launch_table`. Kernels of
/// the user have the checks and limits that are set (findings.h); the library's are
/// checked for what always is, and may run for ever. `tag` says where the launch stands
/// (launch_record.h): whoever holds Python's lock takes it before it lets go of it.
/// Throws LaunchError("launch_config").
void launch(const Kernel& kernel, const LaunchConfig& config,
            const PackedArguments& arguments, uint64_t tag = launch_tag());

/// Returns the kernel to launch in the place of a checked one, or null: that one. What
/// it needs is queued before the launch.
using KernelSubstitute = std::shared_ptr<const Kernel> (*)(const Kernel&,
                                                           const LaunchConfig&);
void set_kernel_substitute(KernelSubstitute substitute);

/// Blocks of `threads` threads that the whole card holds at once.
int64_t most_resident_blocks(const Kernel& kernel, uint32_t threads,
                             uint32_t dynamic_shared);

/// Lets launches of `kernel` take up to `bytes` of dynamic shared memory, beyond the
/// default of 48 KiB. Throws LaunchError("launch_config") when the card has less.
void allow_dynamic_shared(Kernel& kernel, uint32_t bytes);

}  // namespace minitorch::runtime

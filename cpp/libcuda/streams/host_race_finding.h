// How a race between two operations is told: its fields.
#pragma once

#include "libcuda/streams/memory_use.h"

namespace minitorch::libcuda {

/// The one whose line, access and launch a finding gives: a kernel before a copy, else
/// the later one.
const MemoryUse& told_user(const MemoryUse& earlier, const MemoryUse& later);

/// `overlap`: first is of the earlier one.
MtFinding host_race_finding(const MemoryUse& earlier, const MemoryUse& later,
                            const Overlap& overlap);

}  // namespace minitorch::libcuda

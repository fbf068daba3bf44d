// What the environment says of launches: what a user's kernel may use up before it is
// ended, where nobody has said otherwise, and whether a launch waits.
#pragma once

#include <cstdint>

namespace minitorch::base {

/// Warp instructions of one block: MINITORCH_INSTRUCTION_LIMIT (0: any), else 2^30.
uint64_t starting_budget();

/// Nanoseconds of processor time in which no block of a launch ends: the seconds in
/// MINITORCH_TIME_LIMIT (0: any), else a minute.
uint64_t starting_time_limit();

/// CUDA_LAUNCH_BLOCKING, unless empty or 0: a launch returns when its kernel has ended.
bool blocking_launches();

}  // namespace minitorch::base

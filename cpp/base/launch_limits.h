// Owns what a launch of a user's kernel may use up before it is ended, where nobody has
// said otherwise. Must not know launches.
#pragma once

#include <cstdint>

namespace minitorch::base {

/// Warp instructions of one block.
inline constexpr uint64_t kStartingBudget = uint64_t{1} << 30;

/// Nanoseconds of processor time in which no block of a launch ends: the seconds in
/// MINITORCH_TIME_LIMIT (0: any), else a minute.
uint64_t starting_time_limit();

}  // namespace minitorch::base

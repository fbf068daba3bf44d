// How far the host may run ahead of a stream.
#pragma once

#include "runtime/device.h"

namespace minitorch::runtime {

/// Pieces of work that may be queued in one stream at most: launches, copies, fills,
/// replays. A driver holds about 1,000, then its calls wait where nobody can interrupt
/// them.
constexpr unsigned kMostAhead = 960;

/// The limit in force, 1 to kMostAhead; throws ValueError for another. Applies to what
/// is queued from now on.
unsigned queue_limit();
void set_queue_limit(unsigned limit);

/// Called before each piece of work; waits, in a way that can be interrupted, while the
/// stream has as much as it may have. `pieces`: what takes memory until it is done
/// counts as several.
void limit_run_ahead(Device& device, CUstream stream, unsigned pieces = 1);

}  // namespace minitorch::runtime

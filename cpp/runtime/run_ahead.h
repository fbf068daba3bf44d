// Owns how far the host may run ahead of a stream. Must not know what is queued.
#pragma once

#include "runtime/device.h"

namespace minitorch::runtime {

/// Launches, copies and fills that may wait in one stream before the next one waits for
/// the oldest.
constexpr unsigned kMostAhead = 128;

/// Called before each of them. A driver's queue is bounded too, but waits
/// there cannot be interrupted; this wait, which comes first, can.
void limit_run_ahead(Device& device, CUstream stream);

}  // namespace minitorch::runtime

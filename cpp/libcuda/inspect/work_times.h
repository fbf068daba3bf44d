// When the work of streams was queued, began and ended, as a profiler asks for it:
// whether anybody does, and a bounded store.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda_abi/inspect.h"
#include "libcuda/contexts/context.h"

namespace minitorch::libcuda {

/// Nanoseconds of the host's monotonic clock, as in every record.
int64_t monotonic_ns();

/// How records name a stream: 0 is the legacy default stream.
uint64_t stream_number(const Stream& stream);

/// Notes when `operation` runs, if anybody asked for times; else leaves it as it is.
/// `bytes`: that it moves. It counts as queued now, by the calling thread.
void note_times(Operation* operation, MtOperationKind kind, uint64_t bytes,
                const Stream& stream);

/// For the whole process. Switching on forgets what was noted before.
void set_work_times(bool on);

/// Moves up to `capacity` times out of the store, in the order in which the work ended;
/// how many there were.
uint32_t take_work_times(MtWorkTime* times, uint32_t capacity, uint64_t* dropped);

}  // namespace minitorch::libcuda

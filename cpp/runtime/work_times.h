// When recorded work ran on a device: told by the emulator, measured by events on a
// GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/device.h"

namespace minitorch::runtime {

/// Nanoseconds of std::chrono::steady_clock; on a GPU good to a microsecond.
struct WorkTime {
  int64_t begin = 0, end = 0;
};

/// Around the driver's call that queues a piece of work, numbered `number`, when a
/// recording asks for device times. Without `queued` nothing is known of it.
class TimedWork {
 public:
  TimedWork(Device& device, CUstream stream, uint64_t number);
  ~TimedWork();
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;
  void queued();

 private:
  CUstream stream_;
  std::unique_ptr<struct EventPair> events_;  // on a GPU
};

/// Waits for the work of all open devices; raises nothing that it found.
void wait_for_recorded_work();

/// By number number, of the work that has ended; and whatever was noted before.
std::unordered_map<uint64_t, WorkTime> work_times();

/// No recording asks for times any more: forgets them.
void end_work_times();

}  // namespace minitorch::runtime

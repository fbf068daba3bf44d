// Why the host waits for the device, and what messages call it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minitorch::runtime {

/// Why the host waits for the device.
enum class WaitReason : uint8_t {
  Explicit,   // somebody asked for the wait itself
  Value,      // the host reads numbers
  Copy,       // of host memory that is not page-locked
  QueueFull,  // the stream has as much work as it may have
  Memory,     // memory goes back to the driver
  Exchange,   // another library takes an array
};
/// "explicit", "value", "copy", "queue_full", "memory", "exchange".
inline const char* name_of(WaitReason reason) {
  constexpr const char* kNames[] = {"explicit",   "value",  "copy",
                                    "queue_full", "memory", "exchange"};
  return kNames[static_cast<size_t>(reason)];
}

}  // namespace minitorch::runtime

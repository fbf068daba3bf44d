// What happens when the host is about to wait unasked: nothing, a warning, or an error
// instead.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/wait_reason.h"

namespace minitorch::runtime {

enum class SyncDebug : uint8_t { Default, Warn, Error };

/// For all threads that have no mode of their own.
void set_sync_debug(SyncDebug mode);
SyncDebug sync_debug();
/// For the calling thread; empty: as all threads. Returns what was set before.
std::optional<SyncDebug> set_thread_sync_debug(std::optional<SyncDebug> mode);

/// Sets what is called with the text of each warning; it may throw.
void set_sync_warning_hook(std::function<void(const std::string&)> hook);

/// A wait is about to begin. With `Error` throws StateError, so that it does not;
/// explicit ones are nobody's mistake. Costs two loads where no mode is set.
void report_wait(WaitReason reason);

}  // namespace minitorch::runtime

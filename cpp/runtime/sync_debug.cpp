#include "runtime/sync_debug.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "runtime/launch_site.h"

namespace minitorch::runtime {
namespace {

struct Text {
  const char* got;
  const char* instead;
};

// By WaitReason.
constexpr Text kTexts[] = {
    {"a wait that the program asks for", ""},
    {"a read of values by the host (item, float, bool, print, numpy, cpu, t[3], "
     "nonzero, a mask)",
     "Keep values on the device, and read them seldom and together."},
    {"a copy between the device and host memory that is not page-locked (from the "
     "host: of more than 64 KiB)",
     "Copy from or to cuda.pinned_array and name the stream, or make the array on the "
     "device."},
    {"a launch into a full queue",
     "The device is the slower one here: launch fewer and larger kernels, or capture "
     "them in a graph. More is in cuda.queue_limit."},
    {"memory that goes back to the driver, since the device has none left",
     "Let go of arrays sooner, or use smaller batches."},
    {"an array that another library takes",
     "Hand it over once, and work on the shared memory."},
};

std::atomic<SyncDebug> everywhere{SyncDebug::Default};
thread_local std::optional<SyncDebug> t_mode;

struct SyncHook {
  std::mutex mutex;
  std::function<void(const std::string&)> warn;
};

SyncHook& sync_hook() {
  static SyncHook* const made = new SyncHook;
  return *made;
}

std::string sync_text(WaitReason reason) {
  const Text& text = kTexts[static_cast<size_t>(reason)];
  const std::string site = launch_site(launch_tag());
  return base::text("called a synchronizing CUDA operation: got ", text.got,
                    site.empty() ? "" : " at ", site, ", which waits for the device (",
                    name_of(reason), "); need work that only queues. ", text.instead);
}

}  // namespace

void set_sync_debug(SyncDebug mode) { everywhere = mode; }

SyncDebug sync_debug() {
  return t_mode.value_or(everywhere.load(std::memory_order_relaxed));
}

std::optional<SyncDebug> set_thread_sync_debug(std::optional<SyncDebug> mode) {
  return std::exchange(t_mode, mode);
}

void set_sync_warning_hook(std::function<void(const std::string&)> hook) {
  const std::lock_guard lock(sync_hook().mutex);
  sync_hook().warn = std::move(hook);
}

void report_wait(WaitReason reason) {
  const SyncDebug mode = sync_debug();
  if (mode == SyncDebug::Default || reason == WaitReason::Explicit) return;
  const std::string text = sync_text(reason);
  if (mode == SyncDebug::Error) throw base::StateError("sync_debug_mode", text);
  std::function<void(const std::string&)> warn;
  {
    const std::lock_guard lock(sync_hook().mutex);
    warn = sync_hook().warn;
  }
  if (warn) warn("[sync_debug_mode] " + text);
}

}  // namespace minitorch::runtime

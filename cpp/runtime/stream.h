// The current stream of a thread and the waits of the host for the device: all of them
// pass here, say why, and can be interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cuda_client/stream.h"
#include "runtime/device.h"
#include "runtime/wait_reason.h"

namespace minitorch::runtime {

/// A stream of the current device; `blocking`: the default stream and it wait for each
/// other's work.
std::shared_ptr<cuda_client::Stream> make_stream(bool blocking = true);

/// A stream that someone else made, or one of the driver's: null (and 1) is the default
/// stream, 2 the calling thread's own.
std::shared_ptr<cuda_client::Stream> borrow_stream(uintptr_t handle);

/// The stream on which this thread's ops, copies and launches are queued; null is the
/// default stream.
CUstream current_stream();
/// The same as an object; null for the default stream.
std::shared_ptr<cuda_client::Stream> current_stream_object();

/// Has the work of a stream, or before an event, ended? Does not wait, but no graph can
/// hold the answer: throws GraphCaptureError while this thread captures.
template <class Queue>
bool is_done(const Queue& queue);
/// Milliseconds between two events; the same holds.
float elapsed(const cuda_client::Event& end, const cuda_client::Event& start);

/// Makes `stream` (null: the default stream) current on this thread for a scope.
class StreamGuard {
 public:
  explicit StreamGuard(std::shared_ptr<cuda_client::Stream> stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  std::shared_ptr<cuda_client::Stream> previous_;
};

/// Sets what waits call at least every 50 ms (Python: take the GIL, look for signals).
/// When it throws, the device's work is cancelled, the wait ends with it and the
/// exception goes on to the caller.
void set_wait_hook(std::function<void()> hook);

/// A wait of this thread, as long as it lives: what waits meanwhile is part of it and
/// has its reason. Each wait below makes one. Throws GraphCaptureError while this
/// thread captures a graph, and what sync_debug.h says.
class Wait {
 public:
  /// In destructors, where nothing can be refused.
  struct Unrefused {};

  explicit Wait(WaitReason reason);
  Wait(WaitReason reason, Unrefused);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  WaitReason reason_;
  uint32_t place_ = 0;  // of the Python line
  int64_t begin_ = 0;   // 0: not recorded
};

/// Waits until `done()` (called again and again, from this thread) is true.
void wait_until(Device& device, WaitReason reason, const std::function<bool()>& done);

/// Waits for all work of `device`; raises nothing that the work found.
void wait_for_all(Device& device, WaitReason reason);

/// The same, then gives what the driver says of the work, which it takes for known.
CUresult settle(Device& device, WaitReason reason);

/// Before memory is given back to the driver, which would wait for all work itself: for
/// destructors. Signals are left to the next wait.
void wait_before_release(Device& device) noexcept;

/// Waits for all that work queued on `stream` now would wait for, in this stream and in
/// those that the driver orders before it. A driver call that blocks can then be made
/// without blocking.
void wait_for_turn(Device& device, CUstream stream, WaitReason reason);

/// Waits for all work of the current device, then raises the first error found since
/// the last synchronisation (KernelError) or a sticky driver error.
void synchronize(WaitReason reason = WaitReason::Explicit);
void synchronize(Device& device, WaitReason reason = WaitReason::Explicit);

/// Waits for one stream of `device`; raises like `synchronize`.
void synchronize_stream(Device& device, CUstream stream,
                        WaitReason reason = WaitReason::Explicit);
void synchronize_event(Device& device, const cuda_client::Event& event);

}  // namespace minitorch::runtime

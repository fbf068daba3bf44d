// Owns the current stream of a thread and waits that can be interrupted. Must not know
// Python: a hook is called during waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cuda_client/stream.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// A stream of the current device.
std::shared_ptr<cuda_client::Stream> make_stream();

/// A stream that someone else made, or one of the driver's: null (and 1) is the default
/// stream, 2 the calling thread's own.
std::shared_ptr<cuda_client::Stream> borrow_stream(uintptr_t handle);

/// The stream on which this thread's ops, copies and launches are queued; null is the
/// default stream.
CUstream current_stream();

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

/// Waits until `done()` (called again and again, from this thread) is true.
void wait_until(Device& device, const std::function<bool()>& done);

/// Waits for all work of `device`; raises nothing that the work found.
void wait_for_all(Device& device);

/// Waits for all that work queued on `stream` now would wait for, in this stream and in
/// those that the driver orders before it. A driver call that blocks can then be made
/// without blocking.
void wait_for_turn(Device& device, CUstream stream);

/// Waits for all work of the current device, then raises the first error found since
/// the last synchronisation (KernelError) or a sticky driver error.
void synchronize();
void synchronize(Device& device);

/// Waits for one stream of `device`; raises like `synchronize`.
void synchronize_stream(Device& device, CUstream stream);
void synchronize_event(Device& device, const cuda_client::Event& event);

}  // namespace minitorch::runtime

#include "runtime/stream.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cuda_client/graph.h"
#include "runtime/capture.h"
#include "runtime/findings.h"
#include "runtime/launch_site.h"
#include "runtime/recorder.h"
#include "runtime/sync_debug.h"

namespace minitorch::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr auto kHookEvery = std::chrono::milliseconds(50);
constexpr int kYields = 64;  // before the first sleep: most waits are short
constexpr const char* kMoveWait =
    "Read values and synchronise before the capture, or after a replay.";

thread_local std::shared_ptr<cuda_client::Stream> t_stream;
thread_local int t_waits = 0;  // one within the other

std::mutex hook_mutex;
std::function<void()>& hook() {
  static auto* const made = new std::function<void()>;
  return *made;
}

std::function<void()> current_hook() {
  const std::lock_guard lock(hook_mutex);
  return hook();
}

// Polls with sleeps of an eighth of the time waited so far: a wait is late by no more
// than that, and a long one costs no processor time.
void poll(const std::function<bool()>& done, const std::function<void()>& signals) {
  const Clock::time_point start = Clock::now();
  Clock::time_point asked = start;
  for (int round = 0; !done(); ++round) {
    const Clock::time_point now = Clock::now();
    if (signals && now - asked >= kHookEvery) {
      asked = now;
      signals();
    }
    if (round < kYields) {
      std::this_thread::yield();
      continue;
    }
    const auto waited = std::chrono::duration_cast<microseconds>(now - start);
    std::this_thread::sleep_for(
        std::clamp(waited / 8, microseconds(20), microseconds(5000)));
  }
}

// What is captured does not run: nobody can wait for it.
bool stream_done(const cuda_client::Api& api, CUstream stream) {
  api.make_current();
  if (cuda_client::is_captured(api, stream)) return true;
  return api.stream_query(stream) != CUDA_ERROR_NOT_READY;
}

bool all_done(const cuda_client::Api& api, const std::vector<CUstream>& streams) {
  return stream_done(api, nullptr) &&
         std::all_of(streams.begin(), streams.end(),
                     [&](CUstream stream) { return stream_done(api, stream); });
}

bool event_done(const cuda_client::Api& api, const cuda_client::Event& event) {
  api.make_current();
  return api.event_query(event.handle()) != CUDA_ERROR_NOT_READY;
}

// What the driver says of work that has ended. It does not say it of a context while a
// stream of it is captured.
CUresult known_result(cuda_client::Api& api) {
  api.make_current();
  return cuda_client::any_capture() ? CUDA_SUCCESS : api.ctx_synchronize();
}

// What is in a stream's queue from now on backwards. Other threads may keep the queue
// busy for ever: one that is not seen empty soon gets an event, which has an end.
class QueuedSoFar {
 public:
  QueuedSoFar(Device& device, CUstream stream) : device_(&device), stream_(stream) {}

  bool done() {
    if (over_) return true;
    if (!event_) {
      over_ = stream_done(device_->api(), stream_);
      if (!over_ && ++looks_ == kLooks) mark();
      return over_;
    }
    over_ = event_done(device_->api(), *event_);
    return over_;
  }

 private:
  static constexpr int kLooks = 100;  // by `poll`: some 5 ms

  void mark() {
    try {
      auto event = std::make_unique<cuda_client::Event>(device_->shared_api(),
                                                        CU_EVENT_DISABLE_TIMING);
      event->record(stream_);
      event_ = std::move(event);
    } catch (const base::Error&) {
      // After a fault, or of a stream that is gone: to be asked as before.
    }
  }

  Device* device_;
  CUstream stream_;
  std::unique_ptr<cuda_client::Event> event_;
  int looks_ = 0;
  bool over_ = false;
};

// The stream, of which `device` knows as long as anyone uses it.
std::shared_ptr<cuda_client::Stream> known_to(
    Device& device, std::shared_ptr<cuda_client::Stream> stream) {
  const CUstream handle = stream->handle();
  device.add_stream(handle);
  const unsigned generation = device.generation();
  cuda_client::Stream* raw = stream.get();
  auto forget = [&device, handle, generation, kept = std::move(stream)](auto*) mutable {
    if (device.api().reachable(generation)) {
      device.allocator()->stream_gone(handle);
      device.remove_stream(handle);
    }
    kept.reset();
  };
  return {raw, std::move(forget)};
}

// A wait in which the hook threw: end the work, throw its findings away.
void end_work(Device& device, const std::function<bool()>& done) {
  cuda_client::Api& api = device.api();
  if (!api.inspect_cancel) return;
  api.make_current();
  api.inspect_cancel();
  poll(done, {});
  known_result(api);
  discard_findings(device);
  forget_launches_since_sync();
}

// An allocator that is out of memory waits before it gives blocks back to the driver.
[[maybe_unused]] const bool wait_hooked = [] {
  device_hooks().wait = [](Device& device) {
    wait_for_all(device, WaitReason::Memory);
  };
  return true;
}();

}  // namespace

std::shared_ptr<cuda_client::Stream> make_stream(bool blocking) {
  Device& device = current_device();
  const unsigned flags = blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
  return known_to(device,
                  std::make_shared<cuda_client::Stream>(device.shared_api(), flags));
}

std::shared_ptr<cuda_client::Stream> borrow_stream(uintptr_t handle) {
  Device& device = current_device();
  const auto legacy = reinterpret_cast<uintptr_t>(CU_STREAM_LEGACY);
  const auto stream =
      reinterpret_cast<CUstream>(handle == legacy ? uintptr_t{0} : handle);
  auto borrowed = cuda_client::Stream::borrow(device.shared_api(), stream);
  if (stream == nullptr) return borrowed;
  borrowed->done();  // throws for what is no stream
  return known_to(device, std::move(borrowed));
}

CUstream current_stream() { return t_stream ? t_stream->handle() : nullptr; }

std::shared_ptr<cuda_client::Stream> current_stream_object() { return t_stream; }

template <class Queue>
bool is_done(const Queue& queue) {
  require_no_capture("a question whether work has ended", kMoveWait);
  const cuda_client::CaptureTolerated tolerated(queue.api());  // another thread's
  return queue.done();
}
template bool is_done(const cuda_client::Stream&);
template bool is_done(const cuda_client::Event&);

float elapsed(const cuda_client::Event& end, const cuda_client::Event& start) {
  require_no_capture("a question how long work took", kMoveWait);
  const cuda_client::CaptureTolerated tolerated(end.api());
  return end.elapsed_since(start);
}

StreamGuard::StreamGuard(std::shared_ptr<cuda_client::Stream> stream)
    : previous_(std::exchange(t_stream, std::move(stream))) {}

StreamGuard::~StreamGuard() { t_stream = std::move(previous_); }

void set_wait_hook(std::function<void()> new_hook) {
  const std::lock_guard lock(hook_mutex);
  hook() = std::move(new_hook);
}

namespace {

// What may refuse a wait, before it begins.
WaitReason allowed(WaitReason reason) {
  if (t_waits != 0) return reason;
  if (capturing())
    require_no_capture(base::text("a wait (", name_of(reason), ")"), kMoveWait);
  report_wait(reason);
  return reason;
}

}  // namespace

Wait::Wait(WaitReason reason) : Wait(allowed(reason), Unrefused()) {}

Wait::Wait(WaitReason reason, Unrefused) : reason_(reason) {
  if (++t_waits != 1 || !is_recording()) return;
  place_ = present_place();
  begin_ = now_ns();
}

Wait::~Wait() {
  --t_waits;
  if (begin_ != 0) record_wait(reason_, place_, begin_);
}

void wait_until(Device& device, WaitReason reason, const std::function<bool()>& done) {
  const Wait wait(reason);
  const auto quiet = [&] {
    const cuda_client::CaptureTolerated tolerated(device.api());  // another thread's
    return done();
  };
  try {
    poll(quiet, current_hook());
  } catch (...) {
    end_work(device, quiet);
    throw;
  }
}

void wait_for_all(Device& device, WaitReason reason) {
  std::vector<QueuedSoFar> queued;
  queued.emplace_back(device, nullptr);
  for (const CUstream stream : device.streams()) queued.emplace_back(device, stream);
  wait_until(device, reason, [&] {
    return std::all_of(queued.begin(), queued.end(),
                       [](QueuedSoFar& each) { return each.done(); });
  });
}

CUresult settle(Device& device, WaitReason reason) {
  wait_for_all(device, reason);
  return known_result(device.api());
}

void wait_before_release(Device& device) noexcept {
  try {
    if (!device.api().reachable(device.generation())) return;
    const std::vector<CUstream> streams = device.streams();
    const Wait wait(WaitReason::Memory, Wait::Unrefused());
    const cuda_client::CaptureTolerated tolerated(device.api());
    poll([&] { return all_done(device.api(), streams); }, {});
  } catch (const base::Error&) {
    // The context is gone, and its work with it.
  }
}

void wait_for_turn(Device& device, CUstream stream, WaitReason reason) {
  with_findings(device, [&] {
    cuda_client::Event turn(device.shared_api(), CU_EVENT_DISABLE_TIMING);
    turn.record(stream);
    wait_until(device, reason, [&] { return event_done(device.api(), turn); });
  });
}

void synchronize(WaitReason reason) { synchronize(current_device(), reason); }

void synchronize(Device& device, WaitReason reason) {
  const CUresult result = settle(device, reason);
  raise_findings(device, result);
}

void synchronize_stream(Device& device, CUstream stream, WaitReason reason) {
  cuda_client::Api& api = device.api();
  QueuedSoFar queued(device, stream);
  wait_until(device, reason, [&] { return queued.done(); });
  api.make_current();
  raise_findings(device, api.stream_synchronize(stream));
}

void synchronize_event(Device& device, const cuda_client::Event& event) {
  cuda_client::Api& api = device.api();
  wait_until(device, WaitReason::Explicit, [&] { return event_done(api, event); });
  const cuda_client::CaptureTolerated tolerated(api);
  raise_findings(device, api.event_synchronize(event.handle()));
}

}  // namespace minitorch::runtime

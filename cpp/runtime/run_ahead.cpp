// Owns the events by which a stream's backlog is known. Must not know kernels.
#include "runtime/run_ahead.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "cuda_client/stream.h"
#include "runtime/findings.h"
#include "runtime/graph.h"
#include "runtime/stream.h"

namespace minitorch::runtime {
namespace {

constexpr unsigned kStride = 32;  // pieces of work between two events

struct Backlog {
  unsigned queued = 0;  // since the last event
  std::deque<std::shared_ptr<cuda_client::Event>> events;
};

struct Backlogs {
  std::mutex mutex;
  std::map<std::pair<Device*, CUstream>, Backlog> streams;
  std::map<Device*, unsigned> generations;
};

Backlogs& backlogs() {
  static Backlogs* const made = new Backlogs;
  return *made;
}

// Counts a piece of work; gives the event to wait for when the stream is too far
// behind.
std::shared_ptr<cuda_client::Event> count_work(Device& device, CUstream stream) {
  Backlogs& all = backlogs();
  const std::lock_guard lock(all.mutex);
  if (std::exchange(all.generations[&device], device.generation()) !=
      device.generation())
    std::erase_if(all.streams,
                  [&](const auto& entry) { return entry.first.first == &device; });
  Backlog& backlog = all.streams[{&device, stream}];
  if (++backlog.queued < kStride) return nullptr;
  backlog.queued = 0;
  auto event = std::make_shared<cuda_client::Event>(device.shared_api(),
                                                    CU_EVENT_DISABLE_TIMING);
  event->record(stream);
  backlog.events.push_back(std::move(event));
  if (backlog.events.size() <= kMostAhead / kStride) return nullptr;
  auto oldest = std::move(backlog.events.front());
  backlog.events.pop_front();
  return oldest;
}

}  // namespace

void limit_run_ahead(Device& device, CUstream stream) {
  if (capturing()) return;  // nothing is queued
  const std::shared_ptr<cuda_client::Event> oldest =
      with_findings(device, [&] { return count_work(device, stream); });
  if (!oldest) return;
  const cuda_client::Api& api = device.api();
  const auto done = [&] {
    api.make_current();
    const cuda_client::CaptureTolerated tolerated(api);  // another thread's
    return api.event_query(oldest->handle()) != CUDA_ERROR_NOT_READY;
  };
  if (!done()) wait_until(device, WaitReason::QueueFull, done);
}

}  // namespace minitorch::runtime

#include "runtime/run_ahead.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "cuda_client/stream.h"
#include "runtime/capture.h"
#include "runtime/findings.h"
#include "runtime/stream.h"

namespace minitorch::runtime {
namespace {

using EventPtr = std::shared_ptr<cuda_client::Event>;

constexpr unsigned kLongestStride = 32;  // pieces of work between two events

std::atomic<unsigned> limit{kMostAhead};

/// What is queued in one stream, as far as nobody knows its end.
struct Backlog {
  struct Mark {
    EventPtr event;
    unsigned pieces;  // since the mark before
  };
  std::deque<Mark> marks;
  unsigned marked = 0;  // pieces of all marks
  unsigned since = 0;   // after the last one

  unsigned ahead() const { return marked + since; }

  void mark(Device& device, CUstream stream) {
    auto event = std::make_shared<cuda_client::Event>(device.shared_api(),
                                                      CU_EVENT_DISABLE_TIMING);
    event->record(stream);
    marks.push_back({std::move(event), since});
    marked += std::exchange(since, 0);
  }

  /// The mark whose end leaves room for `pieces` beside what comes after it.
  EventPtr oldest_for(unsigned pieces, unsigned most) const {
    unsigned left = ahead();
    for (const Mark& mark : marks) {
      left -= mark.pieces;
      if (left + pieces <= most || &mark == &marks.back()) return mark.event;
    }
    return nullptr;
  }

  /// Forgets what `event` and the marks before it stand for.
  void reached(const EventPtr& event) {
    const auto same = [&](const Mark& mark) { return mark.event == event; };
    if (std::none_of(marks.begin(), marks.end(), same)) return;  // another thread did
    bool last = false;
    while (!last) {
      last = same(marks.front());
      marked -= marks.front().pieces;
      marks.pop_front();
    }
  }
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

Backlog& backlog_of(Backlogs& all, Device& device, CUstream stream) {
  if (std::exchange(all.generations[&device], device.generation()) !=
      device.generation())
    std::erase_if(all.streams,
                  [&](const auto& entry) { return entry.first.first == &device; });
  return all.streams[{&device, stream}];
}

/// What to wait for before `pieces` more; null when there is room, and they are
/// counted.
EventPtr make_room(Device& device, CUstream stream, unsigned pieces) {
  Backlogs& all = backlogs();
  const std::lock_guard lock(all.mutex);
  Backlog& backlog = backlog_of(all, device, stream);
  const unsigned most = limit.load(std::memory_order_relaxed);
  const unsigned stride = std::clamp(most / 4, 1u, kLongestStride);
  pieces = std::min(pieces, most);
  const bool full = backlog.ahead() + pieces > most;
  if (backlog.since > 0 && (full || backlog.since >= stride))
    backlog.mark(device, stream);
  if (full) return backlog.oldest_for(pieces, most);
  backlog.since += pieces;
  return nullptr;
}

void note_reached(Device& device, CUstream stream, const EventPtr& event) {
  Backlogs& all = backlogs();
  const std::lock_guard lock(all.mutex);
  backlog_of(all, device, stream).reached(event);
}

}  // namespace

unsigned queue_limit() { return limit; }

void set_queue_limit(unsigned wanted) {
  if (wanted < 1 || wanted > kMostAhead)
    throw base::ValueError("queue_limit",
                           base::text("got ", wanted, "; need 1 to ", kMostAhead,
                                      ", pieces of work that a stream may have."));
  limit = wanted;
}

void limit_run_ahead(Device& device, CUstream stream, unsigned pieces) {
  if (capturing()) return;  // nothing is queued
  const cuda_client::Api& api = device.api();
  while (true) {
    const EventPtr oldest =
        with_findings(device, [&] { return make_room(device, stream, pieces); });
    if (!oldest) return;
    const auto done = [&] {
      api.make_current();
      const cuda_client::CaptureTolerated tolerated(api);  // another thread's
      return api.event_query(oldest->handle()) != CUDA_ERROR_NOT_READY;
    };
    if (!done()) wait_until(device, WaitReason::QueueFull, done);
    note_reached(device, stream, oldest);
  }
}

}  // namespace minitorch::runtime

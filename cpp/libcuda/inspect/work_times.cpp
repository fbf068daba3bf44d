#include "libcuda/inspect/work_times.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <utility>

#include "libcuda/contexts/process.h"

namespace minitorch::libcuda {
namespace {

constexpr size_t kMostTimes = size_t{1} << 20;  // 56 MB

std::atomic<bool> wanted{false};

struct WorkTimes {
  std::mutex mutex;
  std::deque<MtWorkTime> times;
  uint64_t dropped = 0;

  void add(const MtWorkTime& time) {
    std::lock_guard lock(mutex);
    if (times.size() < kMostTimes) {
      times.push_back(time);
    } else {
      ++dropped;
    }
  }
};

WorkTimes& work_times() {
  static WorkTimes* const store = new WorkTimes;  // streams may outlive statics
  return *store;
}

}  // namespace

int64_t monotonic_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

uint64_t stream_number(const Stream& stream) {
  const bool legacy = stream.queue == stream.context->legacy_stream()->queue;
  return legacy ? 0 : reinterpret_cast<uint64_t>(stream.queue.get());
}

void note_times(Operation* operation, MtOperationKind kind, uint64_t bytes,
                const Stream& stream) {
  if (!wanted.load(std::memory_order_relaxed)) return;
  MtWorkTime time{};
  time.correlation = thread_state().correlation;
  time.kind = kind;
  time.stream = stream_number(stream);
  time.bytes = bytes;
  time.queued_ns = monotonic_ns();
  operation->run = [run = std::move(operation->run), time]() mutable {
    time.start_ns = monotonic_ns();
    run();
    time.end_ns = monotonic_ns();
    work_times().add(time);
  };
}

void set_work_times(bool on) {
  WorkTimes& store = work_times();
  std::lock_guard lock(store.mutex);
  if (on && !wanted.load()) {
    store.times.clear();
    store.dropped = 0;
  }
  wanted.store(on);
}

uint32_t take_work_times(MtWorkTime* times, uint32_t capacity, uint64_t* dropped) {
  WorkTimes& store = work_times();
  std::lock_guard lock(store.mutex);
  const size_t count = std::min<size_t>(capacity, store.times.size());
  const auto end = store.times.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(store.times.begin(), end, times);
  store.times.erase(store.times.begin(), end);
  if (dropped != nullptr) *dropped = std::exchange(store.dropped, 0);
  return static_cast<uint32_t>(count);
}

}  // namespace minitorch::libcuda

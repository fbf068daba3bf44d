#include "runtime/work_times.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda_client/graph.h"
#include "cuda_client/stream.h"
#include "runtime/recorder.h"
#include "runtime/stream.h"

namespace minitorch::runtime {

/// A moment that is known on both clocks.
struct Anchor {
  std::shared_ptr<cuda_client::Event> event;
  int64_t host_ns = 0;
};

struct EventPair {
  Device* device;
  uint64_t number;
  std::shared_ptr<const Anchor> anchor;
  cuda_client::Event before, after;
};

namespace {

constexpr int64_t kAnchorNs = 1'000'000'000;  // so that floats keep 60 ns
constexpr size_t kMostPairs = 1024;           // before the ended ones are looked at
constexpr size_t kTakenAtOnce = 4096;

struct Times {
  std::mutex mutex;
  std::unordered_map<uint64_t, WorkTime> known;
  std::deque<std::unique_ptr<EventPair>> pairs;
  std::shared_ptr<const Anchor> anchor;
  unsigned generation = 0;                             // of the anchor's context
  std::shared_ptr<cuda_client::Stream> anchor_stream;  // with no other work
  std::atomic<bool> emulator_told{false};

  static Times& all() {
    static Times* const made = new Times;
    return *made;
  }
  void add(uint64_t number, WorkTime time) {
    const auto [found, added] = known.emplace(number, time);
    if (added) return;
    found->second.begin = std::min(found->second.begin, time.begin);
    found->second.end = std::max(found->second.end, time.end);
  }
};

std::shared_ptr<const Anchor> measured(Device& device, cuda_client::Stream& stream) {
  constexpr int kTries = 3;
  const cuda_client::CaptureTolerated tolerated(device.api());  // another thread's
  auto best = std::make_shared<Anchor>();
  int64_t closest = INT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    auto event = std::make_shared<cuda_client::Event>(device.shared_api());
    const int64_t before = now_ns();
    event->record(stream.handle());
    while (!event->done()) continue;
    const int64_t took = now_ns() - before;
    if (took >= closest) continue;
    closest = took;
    *best = {std::move(event), before + took / 2};
  }
  return best;
}

// The anchor for work that is queued now; the lock is held.
std::shared_ptr<const Anchor> present_anchor(Times& times, Device& device) {
  const bool gone = times.anchor && times.generation != device.generation();
  if (times.anchor && !gone && now_ns() - times.anchor->host_ns < kAnchorNs)
    return times.anchor;
  if (!times.anchor_stream || gone)
    times.anchor_stream = std::make_shared<cuda_client::Stream>(device.shared_api(),
                                                                CU_STREAM_NON_BLOCKING);
  times.generation = device.generation();
  times.anchor = measured(device, *times.anchor_stream);
  return times.anchor;
}

// Milliseconds as a float, of a pair of which `later` is done; NaN where unknown.
double between_ns(const Device& device, const cuda_client::Event& earlier,
                  const cuda_client::Event& later) {
  float milliseconds = 0;
  const cuda_client::Api& api = device.api();
  api.make_current();
  const CUresult result =
      api.event_elapsed_time(&milliseconds, earlier.handle(), later.handle());
  return result == CUDA_SUCCESS ? milliseconds * 1e6 : std::nan("");
}

// Turns the pairs that have ended into times; the lock is held.
void settle_pairs(Times& times) {
  std::deque<std::unique_ptr<EventPair>> open;
  for (auto& pair : times.pairs) {
    const Device& device = *pair->device;
    const cuda_client::Api& api = device.api();
    api.make_current();
    const cuda_client::CaptureTolerated tolerated(api);  // another thread's
    if (api.event_query(pair->after.handle()) == CUDA_ERROR_NOT_READY) {
      open.push_back(std::move(pair));
      continue;
    }
    const cuda_client::Event& zero = *pair->anchor->event;
    const double begin = between_ns(device, zero, pair->before);
    const double end = between_ns(device, zero, pair->after);
    if (std::isnan(begin) || std::isnan(end)) continue;  // a reset came between
    times.add(pair->number, {pair->anchor->host_ns + std::llround(begin),
                             pair->anchor->host_ns + std::llround(end)});
  }
  times.pairs = std::move(open);
}

void take_from_emulator(Times& times, Device& device) {
  const cuda_client::Api& api = device.api();
  std::vector<MtWorkTime> taken(kTakenAtOnce);
  uint32_t count = 0;
  do {
    if (api.inspect_take_work_times(taken.data(), kTakenAtOnce, &count, nullptr) !=
        CUDA_SUCCESS)
      return;
    for (uint32_t i = 0; i < count; ++i)
      times.add(taken[i].correlation, {taken[i].start_ns, taken[i].end_ns});
  } while (count == kTakenAtOnce);
}

bool reachable(const Device& device) {
  return device.api().reachable(device.generation());
}

}  // namespace

TimedWork::TimedWork(Device& device, CUstream stream, uint64_t number)
    : stream_(stream) {
  if (!(record_switches.load(std::memory_order_relaxed) & kRecordDevice)) return;
  Times& times = Times::all();
  if (device.emulated()) {
    if (!times.emulator_told.exchange(true)) device.api().inspect_set_work_times(1);
    return;
  }
  const std::lock_guard lock(times.mutex);
  if (times.pairs.size() >= kMostPairs) settle_pairs(times);
  events_.reset(new EventPair{&device, number, present_anchor(times, device),
                              cuda_client::Event(device.shared_api()),
                              cuda_client::Event(device.shared_api())});
  events_->before.record(stream);
}

TimedWork::~TimedWork() = default;

void TimedWork::queued() {
  if (!events_) return;
  events_->after.record(stream_);
  Times& times = Times::all();
  const std::lock_guard lock(times.mutex);
  times.pairs.push_back(std::move(events_));
}

void wait_for_recorded_work() {
  for (Device* device : opened_devices())
    if (reachable(*device)) wait_for_all(*device, WaitReason::Explicit);
}

std::unordered_map<uint64_t, WorkTime> work_times() {
  Times& times = Times::all();
  const std::lock_guard lock(times.mutex);
  settle_pairs(times);
  for (Device* device : opened_devices())
    if (device->emulated() && reachable(*device)) take_from_emulator(times, *device);
  return times.known;
}

void end_work_times() {
  Times& times = Times::all();
  const std::lock_guard lock(times.mutex);
  times.known.clear();
  times.pairs.clear();
  times.anchor = nullptr;
  times.anchor_stream = nullptr;
  if (!times.emulator_told.exchange(false)) return;
  for (Device* device : opened_devices())
    if (device->emulated() && reachable(*device))
      device->api().inspect_set_work_times(0);
}

}  // namespace minitorch::runtime

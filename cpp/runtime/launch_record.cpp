#include "runtime/launch_record.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "cuda_client/bookkeeping.h"
#include "cuda_client/stream.h"
#include "runtime/launch_site.h"
#include "runtime/stream.h"

namespace minitorch::runtime {

struct LaunchTiming {
  LaunchTiming(Device& device, size_t row, uint64_t epoch)
      : device(&device),
        row(row),
        epoch(epoch),
        before(device.shared_api()),
        after(device.shared_api()) {}
  Device* device;
  size_t row;
  uint64_t epoch;  // the table it belongs to: `clear_launch_table` begins a new one
  cuda_client::Event before, after;
};

namespace {

constexpr size_t kMostTimings = 256;  // unread pairs of events

using RowKey = std::tuple<std::string, std::string, std::array<uint32_t, 6>>;

struct Tables {
  std::mutex mutex;
  std::vector<LaunchRow> rows;
  std::map<RowKey, size_t> row_index;
  std::deque<std::shared_ptr<LaunchTiming>> timings;
  uint64_t epoch = 0;
  std::atomic<bool> timing{false};
};

Tables& tables() {
  static Tables* const made = new Tables;
  return *made;
}

size_t find_row(Tables& t, const std::string& kernel, const std::string& file,
                base::Dim3 grid, base::Dim3 block) {
  const RowKey key{kernel, file, {grid.x, grid.y, grid.z, block.x, block.y, block.z}};
  const auto [found, added] = t.row_index.emplace(key, t.rows.size());
  if (added) t.rows.push_back({kernel, file, grid, block});
  return found->second;
}

// Adds the times of launches that have ended; waits for the others if `wait`.
void settle(Tables& t, bool wait) {
  std::deque<std::shared_ptr<LaunchTiming>> timings;
  {
    const std::lock_guard lock(t.mutex);
    timings.swap(t.timings);
  }
  for (const std::shared_ptr<LaunchTiming>& timing : timings) {
    const cuda_client::Api& api = timing->device->api();
    const auto done = [&] {
      api.make_current();
      const cuda_client::CaptureTolerated tolerated(api);  // another thread's
      return api.event_query(timing->after.handle()) != CUDA_ERROR_NOT_READY;
    };
    if (wait) wait_until(*timing->device, WaitReason::Explicit, done);
    const bool ended = done();
    float milliseconds = 0;
    const bool known =
        ended && api.event_elapsed_time(&milliseconds, timing->before.handle(),
                                        timing->after.handle()) == CUDA_SUCCESS;
    const std::lock_guard lock(t.mutex);
    if (known && timing->epoch == t.epoch)
      t.rows[timing->row].seconds += milliseconds / 1e3;
    if (!ended) t.timings.push_back(timing);
  }
}

}  // namespace

std::vector<LaunchRow> launch_table() {
  settle(tables(), true);
  const std::lock_guard lock(tables().mutex);
  return tables().rows;
}

void clear_launch_table() {
  Tables& t = tables();
  const std::lock_guard lock(t.mutex);
  t.rows.clear();
  t.row_index.clear();
  t.timings.clear();
  t.epoch += 1;
}

void set_launch_timing(bool on) { tables().timing = on; }

LaunchRecord::LaunchRecord(Device& device, const std::string& kernel,
                           const std::string& file, base::Dim3 grid, base::Dim3 block,
                           CUstream stream, const std::string& site)
    : stream_(stream) {
  if (!capturing())
    note_launch(site.empty() ? kernel : base::text(kernel, " at ", site));
  Tables& t = tables();
  bool crowded = false;
  {
    const std::lock_guard lock(t.mutex);
    row_ = find_row(t, kernel, file, grid, block);
    epoch_ = t.epoch;
    crowded = t.timings.size() >= kMostTimings;
  }
  if (!t.timing || capturing()) return;
  if (crowded) {
    const cuda_client::Bookkeeping own(device.api());
    settle(t, false);
  }
  timing_ = std::make_shared<LaunchTiming>(device, row_, epoch_);
  timing_->before.record(stream);
}

void LaunchRecord::launched() {
  Tables& t = tables();
  if (note_captured_launch(row_, epoch_)) return;
  if (timing_) timing_->after.record(stream_);
  const std::lock_guard lock(t.mutex);
  if (epoch_ != t.epoch) return;
  t.rows[row_].launches += 1;
  if (timing_) t.timings.push_back(std::move(timing_));
}

void note_replay(const CapturedRows& captured) {
  const auto& [rows, epoch] = captured;
  note_launch(base::text("a graph of ", rows.size(), " launches"));
  Tables& t = tables();
  const std::lock_guard lock(t.mutex);
  if (epoch != t.epoch) return;
  for (const size_t row : rows)
    if (row != kNoLaunchRow) t.rows[row].launches += 1;
}

}  // namespace minitorch::runtime

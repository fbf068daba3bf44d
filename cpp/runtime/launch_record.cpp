// Owns the tables of launch sites and launches. Must not know how a launch is made.
#include "runtime/launch_record.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "cuda_client/stream.h"
#include "runtime/graph.h"
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

constexpr size_t kMostSites = 1 << 16;
constexpr size_t kLatestLaunches = 16;
constexpr size_t kMostTimings = 256;  // unread pairs of events

using SiteKey = std::pair<std::string, uint32_t>;  // and the kernel's owner
using RowKey = std::tuple<std::string, std::string, std::array<uint32_t, 6>>;

struct Tables {
  std::mutex mutex;
  std::function<std::string()> provider;
  std::map<SiteKey, uint64_t> tags;
  std::vector<SiteKey> sites;  // tag - 1
  std::vector<LaunchRow> rows;
  std::map<RowKey, size_t> row_index;
  std::deque<std::string> latest;
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

void note_latest(Tables& t, std::string launch) {
  t.latest.push_back(std::move(launch));
  if (t.latest.size() > kLatestLaunches) t.latest.pop_front();
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

void set_launch_site_provider(std::function<std::string()> provider) {
  const std::lock_guard lock(tables().mutex);
  tables().provider = std::move(provider);
}

uint64_t launch_tag(uint32_t owner) {
  Tables& t = tables();
  std::function<std::string()> provider;
  {
    const std::lock_guard lock(t.mutex);
    provider = t.provider;
  }
  // Outside the lock: it may wait for Python's.
  const SiteKey key{provider ? provider() : "", owner};
  if (key.first.empty() && owner == 0) return 0;
  const std::lock_guard lock(t.mutex);
  if (const auto found = t.tags.find(key); found != t.tags.end()) return found->second;
  if (t.sites.size() >= kMostSites) return 0;
  t.sites.push_back(key);
  return t.tags[key] = t.sites.size();
}

std::string launch_site(uint64_t tag) {
  const std::lock_guard lock(tables().mutex);
  tag &= kTagMask;
  return tag >= 1 && tag <= tables().sites.size() ? tables().sites[tag - 1].first : "";
}

uint32_t launch_owner(uint64_t tag) {
  const std::lock_guard lock(tables().mutex);
  tag &= kTagMask;
  return tag >= 1 && tag <= tables().sites.size() ? tables().sites[tag - 1].second : 0;
}

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
  Tables& t = tables();
  bool crowded = false;
  {
    const std::lock_guard lock(t.mutex);
    row_ = find_row(t, kernel, file, grid, block);
    epoch_ = t.epoch;
    if (!capturing())
      note_latest(t, site.empty() ? kernel : base::text(kernel, " at ", site));
    crowded = t.timings.size() >= kMostTimings;
  }
  if (!t.timing || capturing()) return;
  if (crowded) settle(t, false);
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

void note_replay(const std::vector<size_t>& rows, uint64_t epoch) {
  Tables& t = tables();
  const std::lock_guard lock(t.mutex);
  note_latest(t, base::text("a graph of ", rows.size(), " launches"));
  if (epoch != t.epoch) return;
  for (const size_t row : rows)
    if (row != kNoLaunchRow) t.rows[row].launches += 1;
}

std::vector<std::string> launches_since_sync() {
  const std::lock_guard lock(tables().mutex);
  return {tables().latest.begin(), tables().latest.end()};
}

void forget_launches_since_sync() {
  const std::lock_guard lock(tables().mutex);
  tables().latest.clear();
}

}  // namespace minitorch::runtime

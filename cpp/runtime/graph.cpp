// Owns the capture of a thread and the replays of graphs. Must not know which kernels
// there are, or Python.
#include "runtime/graph.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/launch_limits.h"
#include "base/text.h"
#include "runtime/findings.h"
#include "runtime/inspection.h"
#include "runtime/launch_record.h"
#include "runtime/run_ahead.h"
#include "runtime/stream.h"
#include "runtime/work_note.h"

namespace minitorch::runtime {

namespace {

constexpr const char* kOfGraph = "graph";

/// Tells the allocator of a capture.
class CaptureMemory {
 public:
  CaptureMemory(std::shared_ptr<cuda_client::Allocator> allocator, uint64_t pool,
                CUstream stream)
      : allocator_(std::move(allocator)), pool_(pool) {
    allocator_->capture_begins(pool_, stream);
  }
  ~CaptureMemory() {
    allocator_->capture_ends();
    if (!kept) allocator_->graph_gone(pool_);
  }
  CaptureMemory(const CaptureMemory&) = delete;
  CaptureMemory& operator=(const CaptureMemory&) = delete;

  bool kept = false;  // by the graph

 private:
  std::shared_ptr<cuda_client::Allocator> allocator_;
  uint64_t pool_;
};

/// A capture that has not ended; without a graph when it is destroyed.
struct OpenCapture {
  OpenCapture(Device& device, uint64_t pool, CUstream stream, CUstreamCaptureMode mode)
      : stream(stream),
        memory(device.allocator(), pool, stream),
        capture(device.shared_api(), stream, mode) {}

  CUstream stream;
  CaptureMemory memory;  // ends after the capture
  cuda_client::Capture capture;
  std::vector<size_t> rows;  // of the launch table
  uint64_t rows_epoch = 0;
};

std::atomic<uint64_t> captures{0};

/// A thread's capture, or why the last one ended early.
struct Mine {
  std::unique_ptr<OpenCapture> open;
  uint64_t number = 0;  // of all captures
  std::string failure;
};
thread_local Mine t_mine;
thread_local uint64_t t_pool = 0;

/// Ends this thread's capture; without a graph unless it gave one.
void leave_capture() {
  t_pool = 0;
  t_mine.open = nullptr;
}

[[noreturn]] void refuse(const std::string& what, const std::string& instead) {
  // Found before the capture ends: it takes Python's lock.
  const std::string site = launch_site(launch_tag());
  const std::string got =
      base::text("got ", what, site.empty() ? "" : " at ", site,
                 " while a graph is captured; need work that only queues. ", instead);
  leave_capture();
  t_mine.failure = got;
  throw cuda_client::GraphCaptureError(kOfGraph, got,
                                       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

}  // namespace

bool capturing() { return t_pool != 0; }

uint64_t capture_pool() { return t_pool; }

void require_no_capture(const std::string& what, const char* instead) {
  if (capturing()) refuse(what, instead);
}

void refuse_capture_error(const Device& device, CUresult result) {
  if (!cuda_client::is_capture_error(result)) return;
  const std::string why = device.api().explanation(result);
  if (!capturing()) device.api().check(result, kOfGraph);
  refuse(base::text("a call that no graph can hold (", device.api().error_name(result),
                    why.empty() ? "" : ": ", why, ")"),
         "Do it before the capture or after.");
}

bool note_captured_launch(size_t row, uint64_t epoch) {
  if (!capturing()) return false;
  OpenCapture& open = *t_mine.open;
  if (open.rows_epoch != epoch) open.rows.assign(open.rows.size(), kNoLaunchRow);
  open.rows_epoch = epoch;
  open.rows.push_back(row);
  return true;
}

Graph::~Graph() {
  capture_abort();
  release();
}

void Graph::capture_begin(uint64_t pool, CUstreamCaptureMode mode) {
  if (capturing())
    throw base::StateError(
        kOfGraph, "got a capture within a capture; need the end of the first.");
  const CUstream stream = current_stream();
  if (!stream)
    throw base::StateError(
        kOfGraph,
        "got the default stream to capture; need another one. Use "
        "`with cuda.graph(g):`, or `with cuda.stream(s):` around it.");
  const std::lock_guard lock(mutex_);
  if (graph_)
    throw base::StateError(
        kOfGraph, "got a graph that is captured already; need a new one, or reset().");
  if (capture_ != 0 && capture_ != t_mine.number)
    throw base::StateError(
        kOfGraph,
        "got a graph that another thread captures; need a new one, or reset().");
  device_ = &current_device();
  allocator_ = device_->allocator();
  pool_ = pool != 0 ? pool : cuda_client::Allocator::new_pool();
  t_mine.open = std::make_unique<OpenCapture>(*device_, pool_, stream, mode);
  t_mine.number = capture_ = ++captures;
  t_mine.failure.clear();
  t_pool = pool_;
}

void Graph::capture_end() {
  const std::lock_guard lock(mutex_);
  if (capture_ == 0)
    throw base::StateError(kOfGraph,
                           "got capture_end() without capture_begin(); need both.");
  if (t_mine.number != capture_)
    throw base::StateError(kOfGraph,
                           "got the end of a capture that another thread began, or "
                           "that is not this thread's last; need it there.");
  capture_ = 0;
  if (!t_mine.open)
    throw cuda_client::GraphCaptureError(
        kOfGraph,
        base::text("got the end of a capture that had ended before. ", t_mine.failure),
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  OpenCapture& open = *t_mine.open;
  try {
    device_->api().make_current();
    graph_ = open.capture.end();
    ready_ = std::make_unique<cuda_client::Event>(device_->shared_api(),
                                                  CU_EVENT_DISABLE_TIMING);
    ready_->record(open.stream);
  } catch (...) {
    graph_ = nullptr;
    leave_capture();
    throw;
  }
  rows_ = std::move(open.rows);
  rows_epoch_ = open.rows_epoch;
  open.memory.kept = true;
  name_ = interned(base::text("graph of ", rows_.size(), " launches"));
  leave_capture();
}

void Graph::capture_abort() {
  const std::lock_guard lock(mutex_);
  const uint64_t ours = std::exchange(capture_, 0);
  if (ours != 0 && t_mine.number == ours) leave_capture();
}

bool Graph::captured() const {
  const std::lock_guard lock(mutex_);
  return graph_ != nullptr;
}

uint64_t Graph::pool() const {
  const std::lock_guard lock(mutex_);
  return pool_;
}

size_t Graph::launches() const {
  const std::lock_guard lock(mutex_);
  return rows_.size();
}

void Graph::require_captured(const char* what) const {
  if (!graph_)
    throw base::StateError(kOfGraph,
                           base::text("got ", what,
                                      " before a capture; need one first: `with "
                                      "cuda.graph(g): ...`."));
}

void Graph::meet(CUstream stream) {
  if (ready_) {
    const cuda_client::CaptureTolerated tolerated(device_->api());
    if (ready_->done()) {
      ready_ = nullptr;
    } else {
      ready_->hold(stream);
    }
  }
  if (std::find(streams_.begin(), streams_.end(), stream) != streams_.end()) return;
  streams_.push_back(stream);
  allocator_->replayed_on(pool_, stream);
}

CUresult Graph::launch(CUstream stream) {
  Device& device = *device_;
  cuda_client::Api& api = device.api();
  const CUgraphExec exec = graph_->handle();
  api.make_current();
  meet(stream);
  const uint64_t number = next_work();
  if (device.emulated()) {
    const MtLaunchOptions options = replay_options(device, rows_.size());
    api.check(api.inspect_set_launch_options(&options), kOfGraph);
    api.inspect_set_correlation(number);
  }
  WorkNote note(device, stream, WorkKind::Graph, number);
  note.call_it(name_);
  const CUresult result = api.graph_launch(exec, stream);
  if (result != CUDA_SUCCESS) return result;
  note.queued();
  note_replay(rows_, rows_epoch_);
  return result;
}

void Graph::follow_capture() {
  const std::lock_guard lock(mutex_);
  require_captured("replay()");
  require_no_capture("the replay of another graph", "Replay one after the other.");
  graph_->handle();  // throws after a reset of the device
  device_->api().make_current();
  meet(current_stream());
}

void Graph::replay() {
  Device* device = nullptr;
  {
    const std::lock_guard lock(mutex_);
    require_captured("replay()");
    require_no_capture("the replay of another graph", "Replay one after the other.");
    graph_->handle();  // throws after a reset of the device
    device = device_;
  }
  const CUstream stream = current_stream();
  limit_run_ahead(*device, stream);  // may wait; the lock is for whoever resets
  CUresult result = CUDA_SUCCESS;
  {
    const std::lock_guard lock(mutex_);
    require_captured("replay()");
    result = launch(stream);
  }
  if (result != CUDA_SUCCESS) raise_findings(*device, result);
  if (base::blocking_launches()) synchronize_stream(*device, stream);
}

size_t Graph::nodes() const {
  const std::lock_guard lock(mutex_);
  return graph_ ? graph_->nodes() : 0;
}

void Graph::write_dot(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  require_captured("debug_dump()");
  graph_->write_dot(path);
}

void Graph::release() {
  if (!graph_) return;
  graph_ = nullptr;
  ready_ = nullptr;
  streams_.clear();
  rows_.clear();
  allocator_->graph_gone(pool_);
  allocator_ = nullptr;
  pool_ = 0;
}

void Graph::reset() {
  capture_abort();
  const std::lock_guard lock(mutex_);
  release();
}

}  // namespace minitorch::runtime

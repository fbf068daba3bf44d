#include "runtime/graph.h"

#include <algorithm>
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
  if (capture_ != 0 && !is_own_capture(capture_))
    throw base::StateError(
        kOfGraph,
        "got a graph that another thread captures; need a new one, or reset().");
  device_ = &current_device();
  allocator_ = device_->allocator();
  pool_ = pool != 0 ? pool : cuda_client::Allocator::new_pool();
  capture_ = begin_capture(*device_, pool_, stream, mode);
}

void Graph::capture_end() {
  const std::lock_guard lock(mutex_);
  if (capture_ == 0)
    throw base::StateError(kOfGraph,
                           "got capture_end() without capture_begin(); need both.");
  if (!is_own_capture(capture_))
    throw base::StateError(kOfGraph,
                           "got the end of a capture that another thread began, or "
                           "that is not this thread's last; need it there.");
  capture_ = 0;
  Captured captured = end_capture(*device_);
  graph_ = std::move(captured.graph);
  ready_ = std::move(captured.ready);
  rows_ = std::move(captured.rows);
  name_ = interned(base::text("graph of ", rows_.rows.size(), " launches"));
}

void Graph::capture_abort() {
  const std::lock_guard lock(mutex_);
  const uint64_t ours = std::exchange(capture_, 0);
  if (ours != 0 && is_own_capture(ours)) abort_capture();
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
  return rows_.rows.size();
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
    const MtLaunchOptions options = replay_options(device, rows_.rows.size());
    api.check(api.inspect_set_launch_options(&options), kOfGraph);
    api.inspect_set_correlation(number);
  }
  WorkNote note(device, stream, WorkKind::Graph, number);
  note.call_it(name_);
  const CUresult result = api.graph_launch(exec, stream);
  if (result != CUDA_SUCCESS) return result;
  note.queued();
  note_replay(rows_);
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
  rows_ = {};
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

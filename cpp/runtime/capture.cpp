#include "runtime/capture.h"

#include <atomic>
#include <utility>

#include "base/text.h"
#include "runtime/launch_site.h"

namespace minitorch::runtime {

namespace {

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
  CapturedRows rows;
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

[[noreturn]] void refuse(const std::string& what, const std::string& instead) {
  // Found before the capture ends: it takes Python's lock.
  const std::string site = launch_site(launch_tag());
  const std::string got =
      base::text("got ", what, site.empty() ? "" : " at ", site,
                 " while a graph is captured; need work that only queues. ", instead);
  abort_capture();
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
  auto& [rows, rows_epoch] = t_mine.open->rows;
  if (rows_epoch != epoch) rows.assign(rows.size(), kNoLaunchRow);
  rows_epoch = epoch;
  rows.push_back(row);
  return true;
}

uint64_t begin_capture(Device& device, uint64_t pool, CUstream stream,
                       CUstreamCaptureMode mode) {
  t_mine.open = std::make_unique<OpenCapture>(device, pool, stream, mode);
  t_mine.number = ++captures;
  t_mine.failure.clear();
  t_pool = pool;
  return t_mine.number;
}

bool is_own_capture(uint64_t capture) { return t_mine.number == capture; }

Captured end_capture(Device& device) {
  if (!t_mine.open)
    throw cuda_client::GraphCaptureError(
        kOfGraph,
        base::text("got the end of a capture that had ended before. ", t_mine.failure),
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  const std::unique_ptr<OpenCapture> open = std::exchange(t_mine.open, nullptr);
  t_pool = 0;
  device.api().make_current();
  Captured captured{open->capture.end(),
                    std::make_unique<cuda_client::Event>(device.shared_api(),
                                                         CU_EVENT_DISABLE_TIMING),
                    std::move(open->rows)};
  captured.ready->record(open->stream);
  open->memory.kept = true;
  return captured;
}

void abort_capture() {
  t_pool = 0;
  t_mine.open = nullptr;
}

}  // namespace minitorch::runtime

// The functions about events.
#include <chrono>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"

namespace minitorch::libcuda::api {
namespace {

constexpr unsigned int kEventFlags = 0x7;  // blocking sync, no timing, interprocess

int64_t now_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

constexpr unsigned int kRecordExternal =
    1;  // CU_EVENT_RECORD_EXTERNAL: a node of its own

/// The last record, as calls see it that wait or look; fails in a capture.
std::shared_ptr<EventRecord> finished_record(CUevent handle) {
  require_no_capture_anywhere("looking at an event");
  auto record = event_of(handle)->last_record();
  require(record == nullptr || record->place == nullptr, CUDA_ERROR_CAPTURED_EVENT,
          "the event was last recorded in a stream that was being captured.");
  return record;
}

}  // namespace

CUresult event_create(CUevent* event, unsigned int flags) {
  required(event, "phEvent");
  require((flags & ~kEventFlags) == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CU_EVENT_*.");
  auto made = std::make_shared<Event>();
  made->context = current_context();
  made->flags = flags;
  *event = process().events.insert(std::move(made));
  return CUDA_SUCCESS;
}

CUresult event_destroy(CUevent handle) {
  require(process().events.take(handle) != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no live event.");
  return CUDA_SUCCESS;
}

CUresult event_record(CUevent handle, CUstream stream_handle) {
  const auto event = event_of(handle);
  const auto stream = stream_of(stream_handle);
  require(event->context == stream->context, CUDA_ERROR_INVALID_HANDLE,
          "event and stream are of different contexts.");
  auto record = std::make_shared<EventRecord>();
  record->context = stream->context;
  if (const auto capture = capture_of(stream)) {
    std::lock_guard graphs(graph_mutex());
    require(!capture->invalid && !capture->ended, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "the stream's capture has failed; need cuStreamEndCapture.");
    record->place = std::make_shared<CapturedPlace>(
        CapturedPlace{capture, capture->streams.at(stream->queue)});
    std::lock_guard lock(event->mutex);
    event->record = record;
    return CUDA_SUCCESS;
  }
  const auto stamp = [record] { record->nanoseconds = now_nanoseconds(); };
  // Dropped work is over as well: who waits for the event goes on.
  const auto drop = [stamp](bool) { stamp(); };
  record->ticket =
      stream->context->queues().submit(stream->queue, {stamp, drop, {}, true});
  std::lock_guard lock(event->mutex);
  event->record = record;
  return CUDA_SUCCESS;
}

CUresult event_record_with_flags(CUevent handle, CUstream stream, unsigned int flags) {
  require(flags <= kRecordExternal, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need 0 or CU_EVENT_RECORD_EXTERNAL.");
  const auto event = event_of(handle);
  const bool node = flags == kRecordExternal &&
                    capture_instead(stream_of(stream), RecordWork{handle, event});
  return node ? CUDA_SUCCESS : event_record(handle, stream);
}

CUresult event_query(CUevent handle) {
  const auto record = finished_record(handle);
  if (record == nullptr) return CUDA_SUCCESS;
  if (!QueueGroup::done(record->ticket)) return CUDA_ERROR_NOT_READY;
  return record->context->sync_result(record->ticket);
}

CUresult event_synchronize(CUevent handle) {
  const auto record = finished_record(handle);
  if (record == nullptr) return CUDA_SUCCESS;
  QueueGroup::wait(record->ticket);
  return record->context->sync_result(record->ticket);
}

CUresult event_elapsed_time(float* milliseconds, CUevent start, CUevent end) {
  required(milliseconds, "pMilliseconds");
  const auto from = event_of(start), to = event_of(end);
  require(((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) == 0,
          CUDA_ERROR_INVALID_HANDLE, "got an event without timing.");
  const auto first = finished_record(start), last = finished_record(end);
  require(first != nullptr && last != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got an event that was never recorded.");
  if (!QueueGroup::done(first->ticket) || !QueueGroup::done(last->ticket)) {
    return CUDA_ERROR_NOT_READY;
  }
  const int64_t nanoseconds = last->nanoseconds - first->nanoseconds;
  *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) * 1e-6);
  return last->context->sync_result(last->ticket);
}

}  // namespace minitorch::libcuda::api

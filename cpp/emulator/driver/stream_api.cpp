// Owns the functions about streams and events.
#include <chrono>

#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"
#include "emulator/driver/work.h"

namespace minitorch::emulator::driver::api {
namespace {

constexpr unsigned int kEventFlags = 0x7;  // blocking sync, no timing, interprocess
constexpr int kGreatestPriority = -5;

int64_t now_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::shared_ptr<EventRecord> record_of(Event& event) {
  std::lock_guard lock(event.mutex);
  return event.record;
}

}  // namespace

CUresult stream_create_with_priority(CUstream* stream, unsigned int flags,
                                     int priority) {
  required(stream, "phStream");
  require(flags <= CU_STREAM_NON_BLOCKING, CUDA_ERROR_INVALID_VALUE, "got flags ",
          flags, "; need CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING.");
  const int kept = std::min(std::max(priority, kGreatestPriority), 0);
  *stream = process().streams.insert(current_context()->create_stream(flags, kept));
  return CUDA_SUCCESS;
}

CUresult stream_create(CUstream* stream, unsigned int flags) {
  return stream_create_with_priority(stream, flags, 0);
}

CUresult stream_destroy(CUstream handle) {
  const auto stream = process().streams.take(handle);
  require(stream != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no stream made by cuStreamCreate.");
  stream->context->queues().close(stream->queue);
  return CUDA_SUCCESS;
}

CUresult stream_synchronize(CUstream handle) {
  const auto stream = stream_of(handle);
  stream->context->queues().wait(stream->queue);
  return stream->context->sync_result();
}

CUresult stream_query(CUstream handle) {
  const auto stream = stream_of(handle);
  if (!stream->context->queues().idle(stream->queue)) return CUDA_ERROR_NOT_READY;
  return stream->context->sync_result();
}

CUresult stream_wait_event(CUstream handle, CUevent event, unsigned int flags) {
  const auto stream = stream_of(handle);
  require(flags <= 1, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0 or 1.");
  const auto record = record_of(*event_of(event));
  if (record == nullptr) return CUDA_SUCCESS;
  stream->context->queues().submit(stream->queue, {[] {}, {}, {record->ticket}, true});
  return CUDA_SUCCESS;
}

CUresult stream_get_priority(CUstream handle, int* priority) {
  required(priority, "priority") = stream_of(handle)->priority;
  return CUDA_SUCCESS;
}

CUresult stream_get_flags(CUstream handle, unsigned int* flags) {
  required(flags, "flags") = stream_of(handle)->flags;
  return CUDA_SUCCESS;
}

CUresult stream_get_ctx(CUstream handle, CUcontext* context) {
  required(context, "pctx") = stream_of(handle)->context->handle;
  return CUDA_SUCCESS;
}

CUresult stream_is_capturing(CUstream handle, int* status) {
  stream_of(handle);
  required(status, "captureStatus") = 0;  // never: streams cannot be captured here
  return CUDA_SUCCESS;
}

CUresult stream_add_callback(CUstream handle, CUstreamCallback callback, void* user,
                             unsigned int flags) {
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  require(callback != nullptr, CUDA_ERROR_INVALID_VALUE, "got no callback; need one.");
  const auto stream = stream_of(handle);
  const auto run = [context = stream->context.get(), handle, callback, user] {
    const InCallback here;
    callback(handle, context->fault(), user);
  };
  // Called also after a fault, with its result: the client may be waiting for the call.
  const auto drop = [run](bool) { run(); };
  stream->context->queues().submit(stream->queue, {run, drop, {}});
  return CUDA_SUCCESS;
}

CUresult launch_host_func(CUstream handle, CUhostFn function, void* user) {
  require(function != nullptr, CUDA_ERROR_INVALID_VALUE, "got no function; need one.");
  enqueue(stream_of(handle), HostWork{function, user});
  return CUDA_SUCCESS;
}

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
  require(flags <= 1, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0 or 1.");
  return event_record(handle, stream);
}

CUresult event_query(CUevent handle) {
  const auto record = record_of(*event_of(handle));
  if (record == nullptr) return CUDA_SUCCESS;
  if (!QueueGroup::done(record->ticket)) return CUDA_ERROR_NOT_READY;
  return record->context->sync_result();
}

CUresult event_synchronize(CUevent handle) {
  const auto record = record_of(*event_of(handle));
  if (record == nullptr) return CUDA_SUCCESS;
  QueueGroup::wait(record->ticket);
  return record->context->sync_result();
}

CUresult event_elapsed_time(float* milliseconds, CUevent start, CUevent end) {
  required(milliseconds, "pMilliseconds");
  const auto from = event_of(start), to = event_of(end);
  require(((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) == 0,
          CUDA_ERROR_INVALID_HANDLE, "got an event without timing.");
  const auto first = record_of(*from), last = record_of(*to);
  require(first != nullptr && last != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got an event that was never recorded.");
  if (!QueueGroup::done(first->ticket) || !QueueGroup::done(last->ticket)) {
    return CUDA_ERROR_NOT_READY;
  }
  const int64_t nanoseconds = last->nanoseconds - first->nanoseconds;
  *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) * 1e-6);
  return last->context->sync_result();
}

}  // namespace minitorch::emulator::driver::api

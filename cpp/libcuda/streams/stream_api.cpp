// The functions about streams.
#include <algorithm>
#include <cstring>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"
#include "libcuda/launches/work.h"

namespace minitorch::libcuda::api {
namespace {

constexpr unsigned int kWaitExternal = 1;  // CU_EVENT_WAIT_EXTERNAL: a node of its own

/// The attributes that streams have, of those of launches.
enum { kAccessPolicy = 1, kSynchronization = 3, kPriority = 8, kMap = 9, kDomain = 10 };

void check_attribute(int attribute) {
  const bool known = attribute == kAccessPolicy || attribute == kSynchronization ||
                     attribute == kPriority || attribute == kMap ||
                     attribute == kDomain;
  require(known, CUDA_ERROR_INVALID_VALUE, "got stream attribute ", attribute,
          "; need one of CUstreamAttrID.");
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
  leave_capture(stream);
  stream->context->queues().close(stream->queue);
  return CUDA_SUCCESS;
}

CUresult stream_synchronize(CUstream handle) {
  const auto stream = stream_of(handle);
  require_no_capture(stream, "waiting for the work");
  stream->context->queues().wait(stream->queue);
  return stream->context->sync_result(stream->queue);
}

CUresult stream_query(CUstream handle) {
  const auto stream = stream_of(handle);
  require_no_capture(stream, "asking for the end of the work");
  if (!stream->context->queues().idle(stream->queue)) return CUDA_ERROR_NOT_READY;
  return stream->context->sync_result(stream->queue);
}

CUresult stream_wait_event(CUstream handle, CUevent event_handle, unsigned int flags) {
  const auto stream = stream_of(handle);
  require(flags <= kWaitExternal, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need 0 or CU_EVENT_WAIT_EXTERNAL.");
  const auto event = event_of(event_handle);
  const auto record = event->last_record();
  std::unique_lock lock(graph_mutex());
  const auto capture = capture_of(stream);
  if (flags == kWaitExternal && capture != nullptr) {
    capture_instead(stream, WaitWork{event_handle, event});
    return CUDA_SUCCESS;
  }
  if (record == nullptr) return CUDA_SUCCESS;
  if (record->place != nullptr) {
    join_capture(stream, *record->place);
    return CUDA_SUCCESS;
  }
  if (capture != nullptr) {
    capture->invalid = true;
    fail(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
         "the event was recorded outside of the stream's capture.");
  }
  lock.unlock();
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

CUresult stream_get_ctx_v2(CUstream handle, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return stream_get_ctx(handle, context);
}

CUresult stream_get_device(CUstream handle, CUdevice* device) {
  stream_of(handle);
  required(device, "device") = 0;
  return CUDA_SUCCESS;
}

CUresult stream_get_id(CUstream handle, unsigned long long* id) {
  required(id, "streamId") = stream_of(handle)->queue->id;
  return CUDA_SUCCESS;
}

CUresult stream_get_attribute(CUstream handle, int attribute,
                              CUlaunchAttributeValue* value) {
  required(value, "value_out");
  check_attribute(attribute);
  const auto stream = stream_of(handle);
  std::memset(value, 0, sizeof *value);
  std::lock_guard lock(stream->mutex);
  const auto found = stream->attributes.find(attribute);
  if (found != stream->attributes.end()) {
    std::memcpy(value, found->second.data(), sizeof *value);
  } else if (attribute == kPriority) {
    value->priority = stream->priority;
  }
  return CUDA_SUCCESS;
}

CUresult stream_set_attribute(CUstream handle, int attribute,
                              const CUlaunchAttributeValue* value) {
  required(value, "value");
  check_attribute(attribute);
  const auto stream = stream_of(handle);
  std::lock_guard lock(stream->mutex);
  std::memcpy(stream->attributes[attribute].data(), value, sizeof *value);
  return CUDA_SUCCESS;
}

CUresult stream_copy_attributes(CUstream to, CUstream from) {
  const auto source = stream_of(from), destination = stream_of(to);
  if (source == destination) return CUDA_SUCCESS;
  std::scoped_lock lock(source->mutex, destination->mutex);
  destination->attributes = source->attributes;
  return CUDA_SUCCESS;
}

CUresult stream_add_callback(CUstream handle, CUstreamCallback callback, void* user,
                             unsigned int flags) {
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  require(callback != nullptr, CUDA_ERROR_INVALID_VALUE, "got no callback; need one.");
  const auto stream = stream_of(handle);
  require_no_capture(stream, "a callback");
  const auto run = [context = stream->context.get(), handle, callback, user] {
    const InCallback here;
    callback(handle, context->fault(), user);
  };
  // Called also after a fault, with its result: the client may be waiting for the call.
  const auto drop = [run](bool) { run(); };
  Operation operation{run, drop, {}};
  operation.tells_host = true;
  stream->context->queues().submit(stream->queue, std::move(operation));
  return CUDA_SUCCESS;
}

CUresult launch_host_func(CUstream handle, CUhostFn function, void* user) {
  require(function != nullptr, CUDA_ERROR_INVALID_VALUE, "got no function; need one.");
  enqueue(stream_of(handle), HostWork{function, user});
  return CUDA_SUCCESS;
}

CUresult launch_host_func_v2(CUstream stream, CUhostFn function, void* user,
                             unsigned int mode) {
  require(mode <= 1, CUDA_ERROR_INVALID_VALUE, "got mode ", mode, "; need 0 or 1.");
  return launch_host_func(stream, function, user);
}

}  // namespace minitorch::libcuda::api

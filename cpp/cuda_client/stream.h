// Streams and events; waiting in a way that can be interrupted is runtime's.
#pragma once

#include <memory>

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// A queue of work in order. Work that it still has when destroyed is done all the
/// same.
class Stream {
 public:
  explicit Stream(std::shared_ptr<Api> api, unsigned int flags = CU_STREAM_DEFAULT);
  /// A stream that someone else made and ends.
  static std::shared_ptr<Stream> borrow(std::shared_ptr<Api> api, CUstream handle);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Throws StateError when the device was reset since the stream was made.
  CUstream handle() const;
  Api& api() const { return *api_; }

  /// Has the work queued so far ended?
  bool done() const;
  /// Queues a call, with the result of the work before it, on a thread of the driver's.
  /// `callback` must not call the driver.
  void add_callback(CUstreamCallback callback, void* user) const;

 private:
  Stream(std::shared_ptr<Api> api, CUstream handle, unsigned generation)
      : api_(std::move(api)), handle_(handle), generation_(generation), owned_(false) {}

  std::shared_ptr<Api> api_;
  CUstream handle_ = nullptr;
  unsigned generation_ = 0;
  bool owned_ = true;
};

/// A point in a stream's order; with timing unless told otherwise.
class Event {
 public:
  explicit Event(std::shared_ptr<Api> api, unsigned int flags = CU_EVENT_DEFAULT);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  CUevent handle() const { return handle_; }
  Api& api() const { return *api_; }
  void record(CUstream stream);
  /// Work queued on `stream` from now on waits for the last `record`.
  void hold(CUstream stream) const;
  /// Has the work before the last `record` ended?
  bool done() const;
  /// Milliseconds from `start` to this event; both recorded and done.
  float elapsed_since(const Event& start) const;

 private:
  std::shared_ptr<Api> api_;
  CUevent handle_ = nullptr;
  unsigned generation_ = 0;
};

}  // namespace minitorch::cuda_client

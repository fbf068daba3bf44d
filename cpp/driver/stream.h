// Owns streams and events; waiting in a way that can be interrupted is runtime's.
#pragma once

#include <memory>

#include "driver/api.h"

namespace minitorch::driver {

/// A queue of work in order. Work that it still has when destroyed is done all the
/// same.
class Stream {
 public:
  explicit Stream(std::shared_ptr<Api> api, unsigned int flags = CU_STREAM_DEFAULT);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Throws StateError when the device was reset since the stream was made.
  CUstream handle() const;
  Api& api() const { return *api_; }

 private:
  std::shared_ptr<Api> api_;
  CUstream handle_ = nullptr;
  unsigned generation_ = 0;
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
  /// Has the work before the last `record` ended?
  bool done() const;
  /// Milliseconds from `start` to this event; both recorded and done.
  float elapsed_since(const Event& start) const;

 private:
  std::shared_ptr<Api> api_;
  CUevent handle_ = nullptr;
  unsigned generation_ = 0;
};

}  // namespace minitorch::driver

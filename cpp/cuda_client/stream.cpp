#include "cuda_client/stream.h"

namespace minitorch::cuda_client {

Stream::Stream(std::shared_ptr<Api> api, unsigned int flags)
    : api_(std::move(api)), generation_(api_->generation()) {
  api_->make_current();
  api_->check(api_->stream_create(&handle_, flags), "stream");
}

std::shared_ptr<Stream> Stream::borrow(std::shared_ptr<Api> api, CUstream handle) {
  const unsigned generation = api->generation();
  return std::shared_ptr<Stream>(new Stream(std::move(api), handle, generation));
}

Stream::~Stream() {
  if (!owned_) return;
  if (!api_->reachable(generation_)) return;
  api_->stream_destroy(handle_);
}

CUstream Stream::handle() const {
  if (generation_ != api_->generation())
    throw base::StateError(
        "stream", "got a stream made before the device was reset. Make a new one.");
  return handle_;
}

bool Stream::done() const {
  const CUstream stream = handle();
  api_->make_current();
  const CUresult result = api_->stream_query(stream);
  if (result == CUDA_ERROR_NOT_READY) return false;
  api_->check(result, "stream");
  return true;
}

void Stream::add_callback(CUstreamCallback callback, void* user) const {
  const CUstream stream = handle();
  api_->make_current();
  api_->check(api_->stream_add_callback(stream, callback, user, 0), "stream");
}

Event::Event(std::shared_ptr<Api> api, unsigned int flags)
    : api_(std::move(api)), generation_(api_->generation()) {
  api_->make_current();
  api_->check(api_->event_create(&handle_, flags), "event");
}

Event::~Event() {
  if (!api_->reachable(generation_)) return;
  api_->event_destroy(handle_);
}

void Event::record(CUstream stream) {
  api_->make_current();
  api_->check(api_->event_record(handle_, stream), "event");
}

void Event::hold(CUstream stream) const {
  api_->make_current();
  api_->check(api_->stream_wait_event(stream, handle_, 0), "event");
}

bool Event::done() const {
  api_->make_current();
  const CUresult result = api_->event_query(handle_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  api_->check(result, "event");
  return true;
}

float Event::elapsed_since(const Event& start) const {
  api_->make_current();
  float milliseconds = 0;
  api_->check(api_->event_elapsed_time(&milliseconds, start.handle_, handle_), "event");
  return milliseconds;
}

}  // namespace minitorch::cuda_client

#include "libcuda/graphs/capture.h"

#include <algorithm>
#include <set>

namespace minitorch::libcuda {
namespace {

/// All captures that have not ended. Guarded by graph_mutex(); the count is also read
/// without it, so that calls cost nothing while there is no capture.
struct Captures {
  std::vector<std::shared_ptr<Capture>> all;
  std::atomic<size_t> count{0};
  uint64_t next_id = 1;
};

Captures& captures() {
  static Captures* const state = new Captures;
  return *state;
}

void finish(const std::shared_ptr<Capture>& capture) {
  capture->ended = true;
  capture->streams.clear();
  capture->graph->being_captured = false;
  std::erase(captures().all, capture);
  captures().count = captures().all.size();
}

std::shared_ptr<Capture> find(const std::shared_ptr<StreamQueue>& queue) {
  for (const auto& capture : captures().all) {
    if (capture->streams.count(queue) != 0) return capture;
  }
  return nullptr;
}

[[noreturn]] void refuse(Capture& capture, CUresult result, const char* why) {
  capture.invalid = true;
  fail(result, why);
}

constexpr const char* kImplicit =
    "the default stream waits for a stream that is being captured; need another "
    "stream, or CU_STREAM_NON_BLOCKING.";

/// A capture with a stream for which the legacy `stream` waits, or null.
std::shared_ptr<Capture> waited_for_by(const Stream& stream) {
  for (const auto& capture : captures().all) {
    if (capture->context != stream.context) continue;
    for (const auto& [queue, nodes] : capture->streams) {
      if (queue->kind == StreamQueue::Kind::Blocking) return capture;
    }
  }
  return nullptr;
}

void check_legacy(const Stream& stream) {
  const auto capture = waited_for_by(stream);
  if (capture) refuse(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, kImplicit);
}

/// Whether every node that takes part has been waited for by the origin.
bool joined(const Capture& capture) {
  std::set<const Node*> reached;
  std::vector<const Node*> open;
  const auto& last = capture.streams.at(capture.origin);
  open.assign(last.begin(), last.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->after.begin(), node->after.end());
  }
  for (const auto& [queue, nodes] : capture.streams) {
    for (const Node* node : nodes) {
      if (reached.count(node) == 0) return false;
    }
  }
  return true;
}

/// Whether a call that may wait for the device is not allowed in this thread because of
/// `capture`.
bool forbids(const Capture& capture, CUstreamCaptureMode own_mode) {
  const bool mine = capture.thread == thread_state().serial;
  if (own_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (mine) return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return own_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

}  // namespace

std::shared_ptr<Capture> capture_of(const std::shared_ptr<Stream>& stream) {
  if (captures().count == 0) return nullptr;
  std::lock_guard lock(graph_mutex());
  if (stream->queue->kind == StreamQueue::Kind::Legacy) check_legacy(*stream);
  return find(stream->queue);
}

std::shared_ptr<Capture> look_for_capture(const std::shared_ptr<Stream>& stream) {
  std::lock_guard lock(graph_mutex());
  require(stream->queue->kind != StreamQueue::Kind::Legacy || !waited_for_by(*stream),
          CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, kImplicit);
  return find(stream->queue);
}

bool capture_instead(const std::shared_ptr<Stream>& stream, const NodeWork& work) {
  if (captures().count == 0) return false;
  std::lock_guard lock(graph_mutex());
  const auto capture = capture_of(stream);
  if (capture == nullptr) return false;
  require(!capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "the stream's capture has failed; need cuStreamEndCapture.");
  auto& last = capture->streams.at(stream->queue);
  last = {&capture->graph->add(work, last)};
  return true;
}

bool capture_instead(const std::shared_ptr<Stream>& stream, const Work& work) {
  if (captures().count == 0) return false;
  return capture_instead(
      stream, std::visit([](const auto& one) { return NodeWork(one); }, work));
}

void require_no_capture(const std::shared_ptr<Stream>& stream, const char* what) {
  if (captures().count == 0) return;
  std::lock_guard lock(graph_mutex());
  const auto capture = capture_of(stream);
  if (capture == nullptr) return;
  capture->invalid = true;
  fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, what,
       " is not possible in a stream that is being captured.");
}

void require_no_capture_anywhere(const char* what) {
  if (captures().count == 0) return;
  std::lock_guard lock(graph_mutex());
  const auto own_mode = static_cast<CUstreamCaptureMode>(thread_state().capture_mode);
  bool forbidden = false;
  for (const auto& capture : captures().all) {
    if (!forbids(*capture, own_mode)) continue;
    capture->invalid = true;
    forbidden = true;
  }
  require(!forbidden, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, what,
          " is not allowed while a stream is being captured (see "
          "cuThreadExchangeStreamCaptureMode).");
}

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> graph, std::vector<Node*> after) {
  std::lock_guard lock(graph_mutex());
  require(stream->queue->kind != StreamQueue::Kind::Legacy,
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "the default stream cannot be captured; need another one.");
  const auto running = find(stream->queue);
  if (running != nullptr) {
    refuse(*running, CUDA_ERROR_ILLEGAL_STATE, "the stream is being captured already.");
  }
  auto capture = std::make_shared<Capture>();
  capture->id = captures().next_id++;
  capture->mode = mode;
  capture->thread = thread_state().serial;
  capture->ours = graph == nullptr;
  capture->graph = graph == nullptr ? Graph::create() : std::move(graph);
  capture->graph->being_captured = true;
  capture->context = stream->context;
  capture->origin = stream->queue;
  capture->streams[stream->queue] = std::move(after);
  captures().all.push_back(std::move(capture));
  captures().count = captures().all.size();
}

std::shared_ptr<Graph> end_capture(const std::shared_ptr<Stream>& stream) {
  std::lock_guard lock(graph_mutex());
  const auto capture = capture_of(stream);
  require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE,
          "the stream is not being captured.");
  if (stream->queue != capture->origin) {
    refuse(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
           "the capture began in another stream; need that one.");
  }
  require(capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
              capture->thread == thread_state().serial,
          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "the capture began in another thread; need that one.");
  const CUresult result = capture->invalid   ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : joined(*capture) ? CUDA_SUCCESS
                                             : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  finish(capture);
  if (result == CUDA_SUCCESS) return capture->graph;
  if (capture->ours) capture->graph->forget_handles();
  fail(result, result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                   ? "work of another stream has not been waited for."
                   : "a call that is not allowed while capturing ended the capture.");
}

void join_capture(const std::shared_ptr<Stream>& stream, const CapturedPlace& place) {
  std::lock_guard lock(graph_mutex());
  Capture& capture = *place.capture;
  require(!capture.ended, CUDA_ERROR_CAPTURED_EVENT,
          "the event was recorded in a capture that has ended.");
  require(!capture.invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "the event's capture has failed.");
  if (stream->queue->kind == StreamQueue::Kind::Legacy) {
    refuse(capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
           "the default stream cannot take part in a capture.");
  }
  const auto own = find(stream->queue);
  if (own != nullptr && own != place.capture) {
    own->invalid = true;
    refuse(capture, CUDA_ERROR_STREAM_CAPTURE_MERGE,
           "stream and event belong to two captures.");
  }
  auto& last = capture.streams[stream->queue];
  for (Node* node : place.nodes) {
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
}

void leave_capture(const std::shared_ptr<Stream>& stream) {
  if (captures().count == 0) return;
  std::lock_guard lock(graph_mutex());
  const auto capture = find(stream->queue);
  // One that joined may go: what it did stays, and has to be waited for.
  if (capture == nullptr || stream->queue != capture->origin) return;
  finish(capture);  // nobody can end it any more
  if (capture->ours) capture->graph->forget_handles();
}

void end_captures(const std::shared_ptr<Context>& context) {
  if (captures().count == 0) return;
  std::lock_guard lock(graph_mutex());
  for (const auto& capture : std::vector(captures().all)) {
    if (capture->context != context) continue;
    finish(capture);
    if (capture->ours) capture->graph->forget_handles();
  }
}

void enqueue(const std::shared_ptr<Stream>& stream, const Work& work) {
  if (capture_instead(stream, work)) return;
  stream->context->queues().submit(
      stream->queue,
      std::visit([&](const auto& one) { return operation_of(one, stream); }, work));
}

}  // namespace minitorch::libcuda

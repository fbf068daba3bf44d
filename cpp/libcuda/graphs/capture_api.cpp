// The functions about the capture of streams.
#include <algorithm>
#include <utility>

#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"
#include "libcuda/graphs/graph_edges.h"

namespace minitorch::libcuda::api {
namespace {

constexpr int kLastMode = CU_STREAM_CAPTURE_MODE_RELAXED;

void check_mode(CUstreamCaptureMode mode) {
  require(mode >= 0 && mode <= kLastMode, CUDA_ERROR_INVALID_VALUE, "got mode ",
          static_cast<int>(mode), "; need one of CUstreamCaptureMode.");
}

CUstreamCaptureStatus status_of(const std::shared_ptr<Capture>& capture) {
  if (capture == nullptr) return CU_STREAM_CAPTURE_STATUS_NONE;
  return capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                          : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

}  // namespace

CUresult stream_begin_capture_v2(CUstream handle, CUstreamCaptureMode mode) {
  check_mode(mode);
  begin_capture(usable_stream(handle), mode, nullptr, {});
  return CUDA_SUCCESS;
}

CUresult stream_begin_capture(CUstream handle) {
  return stream_begin_capture_v2(handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult stream_begin_capture_to_graph(CUstream handle, CUgraph wanted,
                                       const CUgraphNode* after,
                                       const CUgraphEdgeData* edges, size_t count,
                                       CUstreamCaptureMode mode) {
  check_mode(mode);
  check_plain_edges(edges, count);
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(wanted);
  require(!graph->being_captured, CUDA_ERROR_INVALID_VALUE,
          "the graph is being captured into already.");
  begin_capture(usable_stream(handle), mode, graph, nodes_of(*graph, after, count));
  return CUDA_SUCCESS;
}

CUresult stream_end_capture(CUstream handle, CUgraph* graph) {
  required(graph, "phGraph") = nullptr;
  *graph = end_capture(stream_of(handle))->handle();
  return CUDA_SUCCESS;
}

CUresult stream_is_capturing(CUstream handle, CUstreamCaptureStatus* status) {
  required(status, "captureStatus");
  std::lock_guard lock(graph_mutex());
  *status = status_of(look_for_capture(stream_of(handle)));
  return CUDA_SUCCESS;
}

CUresult stream_get_capture_info_v2(CUstream handle, CUstreamCaptureStatus* status,
                                    unsigned long long* id, CUgraph* graph,
                                    const CUgraphNode** after, size_t* count) {
  required(status, "captureStatus_out");
  std::lock_guard lock(graph_mutex());
  const auto stream = stream_of(handle);
  const auto capture = capture_of(stream);
  *status = status_of(capture);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph->handle();
  capture->told.clear();
  for (const Node* node : capture->streams.at(stream->queue)) {
    capture->told.push_back(node->handle);
  }
  if (after != nullptr) *after = capture->told.data();
  if (count != nullptr) *count = capture->told.size();
  return CUDA_SUCCESS;
}

CUresult stream_get_capture_info_v3(CUstream handle, CUstreamCaptureStatus* status,
                                    unsigned long long* id, CUgraph* graph,
                                    const CUgraphNode** after,
                                    const CUgraphEdgeData** edges, size_t* count) {
  if (edges != nullptr) *edges = nullptr;  // all are plain dependencies
  return stream_get_capture_info_v2(handle, status, id, graph, after, count);
}

CUresult stream_get_capture_info(CUstream handle, CUstreamCaptureStatus* status,
                                 unsigned long long* id) {
  return stream_get_capture_info_v2(handle, status, id, nullptr, nullptr, nullptr);
}

CUresult stream_update_capture_dependencies_v2(CUstream handle, CUgraphNode* nodes,
                                               const CUgraphEdgeData* edges,
                                               size_t count, unsigned int flags) {
  require(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES, CUDA_ERROR_INVALID_VALUE,
          "got flags ", flags,
          "; need one of CUstreamUpdateCaptureDependencies_flags.");
  check_plain_edges(edges, count);
  std::lock_guard lock(graph_mutex());
  const auto stream = stream_of(handle);
  const auto capture = capture_of(stream);
  require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE,
          "the stream is not being captured.");
  auto& last = capture->streams.at(stream->queue);
  const auto wanted = nodes_of(*capture->graph, nodes, count);
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) last.clear();
  for (Node* node : wanted) {
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
  return CUDA_SUCCESS;
}

CUresult stream_update_capture_dependencies(CUstream handle, CUgraphNode* nodes,
                                            size_t count, unsigned int flags) {
  return stream_update_capture_dependencies_v2(handle, nodes, nullptr, count, flags);
}

CUresult thread_exchange_stream_capture_mode(CUstreamCaptureMode* mode) {
  check_mode(required(mode, "mode"));
  const int before = std::exchange(thread_state().capture_mode, *mode);
  *mode = static_cast<CUstreamCaptureMode>(before);
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api

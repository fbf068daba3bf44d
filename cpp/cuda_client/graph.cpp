#include "cuda_client/graph.h"

#include <atomic>

namespace minitorch::cuda_client {
namespace {

constexpr const char* kOfCapture = "graph";

std::atomic<int> captures_open{0};

}  // namespace

bool any_capture() { return captures_open.load(std::memory_order_relaxed) > 0; }

CaptureTolerated::CaptureTolerated(const Api& api) {
  if (!any_capture()) return;
  if (api.exchange_capture_mode(&before_) == CUDA_SUCCESS) api_ = &api;
}

CaptureTolerated::~CaptureTolerated() {
  if (api_) api_->exchange_capture_mode(&before_);
}

bool is_captured(const Api& api, CUstream stream) {
  if (!any_capture()) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  api.check(api.stream_is_capturing(stream, &status), "stream");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

Graph::Graph(std::shared_ptr<Api> api, CUgraph graph)
    : api_(std::move(api)), generation_(api_->generation()), graph_(graph) {
  CUresult result = api_->graph_get_nodes(graph_, nullptr, &nodes_);
  if (result == CUDA_SUCCESS)
    result = api_->graph_instantiate ? api_->graph_instantiate(&exec_, graph_, 0)
                                     : CUDA_ERROR_NOT_SUPPORTED;
  if (result == CUDA_SUCCESS) return;
  const std::string why = api_->explanation(result);
  api_->graph_destroy(graph_);
  if (!api_->graph_instantiate)
    throw CudaError(kOfCapture,
                    "got a driver without cuGraphInstantiateWithFlags; need one of "
                    "CUDA 11.4 or newer. Update the NVIDIA driver.",
                    result);
  throw CudaError(kOfCapture, "got a capture that the driver cannot launch: " + why,
                  result);
}

Graph::~Graph() {
  if (!api_->reachable(generation_)) return;
  api_->graph_exec_destroy(exec_);
  api_->graph_destroy(graph_);
}

CUgraphExec Graph::handle() const {
  if (generation_ != api_->generation())
    throw base::StateError(
        kOfCapture,
        "got a graph captured before the device was reset. Capture it anew.");
  return exec_;
}

void Graph::write_dot(const std::string& path) const {
  handle();
  api_->make_current();
  if (!api_->graph_debug_dot_print)
    throw CudaError(kOfCapture,
                    "got a driver without cuGraphDebugDotPrint; need one of CUDA 11.3 "
                    "or newer.",
                    CUDA_ERROR_NOT_SUPPORTED);
  api_->check(api_->graph_debug_dot_print(graph_, path.c_str(), 0), kOfCapture);
}

Capture::Capture(std::shared_ptr<Api> api, CUstream stream, CUstreamCaptureMode mode)
    : api_(std::move(api)), generation_(api_->generation()), stream_(stream) {
  api_->make_current();
  // Counted first: another thread's waits keep off the stream from here on.
  captures_open.fetch_add(1);
  const CUresult result = api_->stream_begin_capture(stream, mode);
  if (result == CUDA_SUCCESS) return;
  captures_open.fetch_sub(1);
  api_->check(result, kOfCapture);
}

CUresult Capture::stop(CUgraph* graph) {
  open_ = false;
  CUresult result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (api_->reachable(generation_)) result = api_->stream_end_capture(stream_, graph);
  captures_open.fetch_sub(1);
  return result;
}

Capture::~Capture() {
  if (!open_) return;
  CUgraph graph = nullptr;
  if (stop(&graph) == CUDA_SUCCESS && graph) api_->graph_destroy(graph);
}

std::unique_ptr<Graph> Capture::end() {
  CUgraph graph = nullptr;
  api_->check(stop(&graph), kOfCapture);
  return std::make_unique<Graph>(api_, graph);
}

}  // namespace minitorch::cuda_client

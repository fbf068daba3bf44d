// Captures of a stream and what they give: graphs ready to be launched.
#pragma once

#include <memory>
#include <string>

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// Is a stream of this process being captured? One relaxed load.
bool any_capture();

/// While one lives, the thread's calls that a capture forbids for caution (allocating,
/// asking an event) are allowed. Costs a load where nothing is captured.
class CaptureTolerated {
 public:
  explicit CaptureTolerated(const Api& api);
  ~CaptureTolerated();
  CaptureTolerated(const CaptureTolerated&) = delete;
  CaptureTolerated& operator=(const CaptureTolerated&) = delete;

 private:
  const Api* api_ = nullptr;  // null: nothing to put back
  CUstreamCaptureMode before_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// Does `stream` take part in a capture? Throws GraphCaptureError for the default
/// stream where a captured stream and it wait for each other.
bool is_captured(const Api& api, CUstream stream);

/// The work of a capture, launched any number of times.
class Graph {
 public:
  /// Owns `graph`.
  Graph(std::shared_ptr<Api> api, CUgraph graph);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Throws StateError when the device was reset since the capture.
  CUgraphExec handle() const;
  size_t nodes() const { return nodes_; }
  /// Writes the graph for Graphviz; throws CudaError where the file cannot be written.
  void write_dot(const std::string& path) const;

 private:
  std::shared_ptr<Api> api_;
  unsigned generation_;
  CUgraph graph_;
  CUgraphExec exec_ = nullptr;
  size_t nodes_ = 0;
};

/// A capture of `stream`; ended without a graph when destroyed.
class Capture {
 public:
  Capture(std::shared_ptr<Api> api, CUstream stream, CUstreamCaptureMode mode);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Throws GraphCaptureError when a call meanwhile ended the capture.
  std::unique_ptr<Graph> end();

 private:
  /// The driver's answer; null where there is no graph.
  CUresult stop(CUgraph* graph);

  std::shared_ptr<Api> api_;
  unsigned generation_;
  CUstream stream_;
  bool open_ = true;
};

}  // namespace minitorch::cuda_client

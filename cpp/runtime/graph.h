// Graphs: launches, copies and fills that were captured, to be replayed by one call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_client/graph.h"
#include "cuda_client/stream.h"
#include "runtime/capture.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// Work that is queued by one call, again and again, with the arguments and the memory
/// of its capture. Several threads may use it; none of them may hold Python's lock.
class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// What this thread queues from now on, on its current stream and those that wait for
  /// it, becomes part of the graph and does not run. Memory allocated meanwhile comes
  /// from `pool` (0: one of its own). Throws StateError on the default stream, for a
  /// second capture in this thread, and for a graph that is captured already, or by
  /// another thread.
  void capture_begin(uint64_t pool, CUstreamCaptureMode mode);
  /// Throws GraphCaptureError when something meanwhile ended the capture, StateError in
  /// a thread that does not capture into this graph.
  void capture_end();
  /// Ends a capture without a graph; nothing where there is none.
  void capture_abort();

  /// Queues the work on the current stream. Throws StateError before a capture.
  void replay();
  /// For work that is queued before a replay and uses what was made for the capture:
  /// the current stream goes on when the capture's stream has come to its end.
  void follow_capture();
  /// Forgets the work, and gives the memory back once nobody uses it any more.
  void reset();

  bool captured() const;
  /// 0 before a capture.
  uint64_t pool() const;
  /// Kernels launched by a replay.
  size_t launches() const;
  /// Kernels, copies, fills.
  size_t nodes() const;
  /// Writes the graph for Graphviz. Throws StateError before a capture.
  void write_dot(const std::string& path) const;

 private:
  // With the lock.
  void require_captured(const char* what) const;
  void release();
  /// What the first replay on a stream takes care of.
  void meet(CUstream stream);
  CUresult launch(CUstream stream);

  mutable std::mutex mutex_;  // of all below
  Device* device_ = nullptr;
  std::shared_ptr<cuda_client::Allocator> allocator_;
  uint64_t pool_ = 0;
  uint64_t capture_ = 0;  // the number of one that has begun; 0: none
  std::unique_ptr<cuda_client::Graph> graph_;
  std::unique_ptr<cuda_client::Event> ready_;  // memory is prepared; null: known to be
  std::vector<CUstream> streams_;              // that replayed it
  CapturedRows rows_;
  const char* name_ = "";  // interned: "graph of 20 launches"
};

}  // namespace minitorch::runtime

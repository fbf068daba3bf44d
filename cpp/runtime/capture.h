// The capture of a thread's work into a graph, and what cannot be done meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda_client/graph.h"
#include "cuda_client/stream.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// Where messages about captures and graphs come from.
inline constexpr const char* kOfGraph = "graph";

/// Does this thread capture? Two loads.
bool capturing();
/// The memory pool of this thread's capture; 0 where there is none.
uint64_t capture_pool();

/// Throws GraphCaptureError when this thread captures: `what` ("a wait for a value")
/// cannot be part of a graph, `instead` says what to do. The capture has ended then;
/// work goes on as without one.
void require_no_capture(const std::string& what, const char* instead);

/// What to do instead of loading a kernel.
inline constexpr const char* kRunOnce =
    "Run once what is captured, with the same shapes and dtypes, before the capture.";

/// The same for a driver call that failed because of a capture: its own words. Does
/// nothing for other results.
void refuse_capture_error(const Device& device, CUresult result);

/// Stands for a row of a table that was cleared.
inline constexpr size_t kNoLaunchRow = ~size_t{0};

/// Used by LaunchRecord: true when the launch became part of a graph, which counts it
/// in the row of the launch table at each replay.
bool note_captured_launch(size_t row, uint64_t epoch);

/// Rows of the launch table, one a captured launch, and the table's epoch.
struct CapturedRows {
  std::vector<size_t> rows;
  uint64_t epoch = 0;
};

/// What a capture gave; the event says when the memory is prepared.
struct Captured {
  std::unique_ptr<cuda_client::Graph> graph;
  std::unique_ptr<cuda_client::Event> ready;
  CapturedRows rows;
};

/// Used by Graph, on a thread that does not capture. Memory allocated until the end
/// comes from `pool`. Returns the number of the capture, from 1.
uint64_t begin_capture(Device& device, uint64_t pool, CUstream stream,
                       CUstreamCaptureMode mode);
/// Is `capture` the one that this thread began last?
bool is_own_capture(uint64_t capture);
/// Ends this thread's capture, also where it throws: GraphCaptureError when something
/// meanwhile ended it. The graph has the memory of the pool.
Captured end_capture(Device& device);
/// Ends this thread's capture without a graph; nothing where there is none.
void abort_capture();

}  // namespace minitorch::runtime

// The table of the kernels that were launched, with their times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "runtime/capture.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// One row per kernel and launch shape.
struct LaunchRow {
  std::string kernel, file;
  base::Dim3 grid, block;
  uint64_t launches = 0;
  double seconds = 0;  // of timed launches
};

/// Rows in order of first launch; waits for timed launches to end.
std::vector<LaunchRow> launch_table();
void clear_launch_table();
/// Times launches from now on with a pair of events each (off at the start).
void set_launch_timing(bool on);

/// Used by `launch`: notes a launch; made before the driver's call, `launched` after
/// it. What is captured is noted by the graph, and not timed.
class LaunchRecord {
 public:
  LaunchRecord(Device& device, const std::string& kernel, const std::string& file,
               base::Dim3 grid, base::Dim3 block, CUstream stream,
               const std::string& site);
  void launched();

 private:
  CUstream stream_;
  size_t row_ = 0;  // of the launch table
  uint64_t epoch_ = 0;
  std::shared_ptr<struct LaunchTiming> timing_;
};

/// Used by graphs: a replay launched the kernels of these rows.
void note_replay(const CapturedRows& captured);

}  // namespace minitorch::runtime

// Owns what is remembered of launches: their Python lines (tags), and the table of
// kernels launched. Must not know how a launch is made.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// Sets who names the source line of a launch ("train.py:12"); called at each launch.
void set_launch_site_provider(std::function<std::string()> provider);

/// A tag for the present launch site and the launched kernel's `owner` (a number that
/// means something to whoever made the kernel, or 0), and the site ("" if unknown) and
/// owner of a tag. Tags are kept up to a bound; beyond it they are 0. A tag takes the
/// bits of kTagMask; what is above them is not looked at (inspection.h).
inline constexpr uint64_t kTagMask = 0xffffffff;
uint64_t launch_tag(uint32_t owner = 0);
std::string launch_site(uint64_t tag);
uint32_t launch_owner(uint64_t tag);

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

/// Stands for a row of a table that was cleared.
inline constexpr size_t kNoLaunchRow = ~size_t{0};

/// Used by graphs: a replay launched the kernels of `rows`, noted in the table's
/// `epoch`.
void note_replay(const std::vector<size_t>& rows, uint64_t epoch);

/// "kernel at train.py:12" for the latest launches since the last synchronisation.
std::vector<std::string> launches_since_sync();
void forget_launches_since_sync();

}  // namespace minitorch::runtime

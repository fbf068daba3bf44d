// How a piece of work on its way to a stream is recorded.
#pragma once

#include <memory>
#include <optional>

#include "runtime/device.h"
#include "runtime/kernel.h"
#include "runtime/launch_arguments.h"
#include "runtime/recorder.h"
#include "runtime/work_times.h"

namespace minitorch::runtime {

/// Numbers what is queued on streams, from 1: a record and what the emulator tells of
/// the same work have one number.
uint64_t next_work();

/// Made before the driver's call that queues the work; `queued` after it. Work that was
/// refused leaves no record, nor what is captured: the graph's replays do.
class WorkNote {
 public:
  WorkNote(Device& device, CUstream stream, WorkKind kind,
           uint64_t number = next_work());
  ~WorkNote();
  WorkNote(const WorkNote&) = delete;
  WorkNote& operator=(const WorkNote&) = delete;

  void launches(const Kernel& kernel, const LaunchConfig& config,
                const PackedArguments& arguments, uint64_t tag);
  void moves(uint64_t bytes, Direction direction, bool pinned);
  /// `name` is a literal or interned: "graph of 20 launches".
  void call_it(const char* name);
  void queued();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What is queued on `stream` from now on waits for the last `record` of `event`.
void hold_stream(Device& device, CUstream stream, const cuda_client::Event& event);

/// Names of the parameters of one of the library's kernels; none where its source is
/// not known.
std::vector<std::string> parameter_names(const KernelFacts& kernel);

}  // namespace minitorch::runtime

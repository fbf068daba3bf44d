// Which launches are being inspected, and their records.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cuda_abi/inspect.h"
#include "runtime/device.h"
#include "runtime/findings.h"
#include "runtime/record_log.h"

namespace minitorch::runtime {

struct InspectionOptions {
  CheckLevel checks = CheckLevel::Full;
  bool counters = true, trace = false;
  bool library = false;  // the library's own kernels too
  /// Kinds of findings after which a kernel goes on as hardware would, by name.
  std::vector<std::string> tolerate;
  uint32_t most_launches = 1000;
  uint64_t trace_bytes = uint64_t{256} << 20;  // of all traces together
  /// The launches to trace, by their numbers among those that are recorded, from 0 in
  /// the order in which they are made; nothing: all.
  std::optional<std::set<uint64_t>> trace_launches;
  MtTraceFilter trace_filter;
  bool footprint = false;  // different sectors
};

/// One finished launch; what it points to lives as long as it does.
struct InspectedLaunch {
  std::shared_ptr<const MtLaunch> record;
  bool library = false;  // not a kernel of the user
  std::string launch_site;
  std::vector<Finding> findings;
  // Of a kernel of the library: what it is, and the arrays among its arguments.
  std::shared_ptr<const KernelFacts> kernel;
  std::vector<ArrayNote> arrays;
};

/// Records the launches that one thread makes between `open` and `close`. Inspections
/// may be nested or overlap: a launch belongs to all that its thread has open.
class Inspection {
 public:
  /// Waits for earlier work first, whose faults are raised. Throws CudaError on a GPU,
  /// ValueError for a kind that does not exist or that no kernel survives.
  static std::shared_ptr<Inspection> open(const InspectionOptions& options);

  /// Ends recording and waits for the launches; a second call does nothing. Findings of
  /// recorded launches are in the records and are not raised any more; those of others
  /// are, unless `quiet`: then the next synchronisation raises them.
  void close(bool quiet);
  bool closed() const;

  /// From now on also records what this thread launches through the driver API, as a
  /// program in CUDA C++ does, until it launches through this library again. Each of
  /// the newest `most_launches` has an equal share of the memory for traces.
  void include_other_clients();

  /// Those that have finished, in the order in which they ended.
  std::vector<std::shared_ptr<const InspectedLaunch>> launches();
  /// Launches beyond `most_launches`, which were not kept.
  uint64_t dropped() const;
  const InspectionOptions& options() const { return options_; }
  /// Whether the next launch, if it is recorded, is traced.
  bool traces_next() const;

 private:
  friend struct Inspections;
  Inspection(Device& device, const InspectionOptions& options, uint64_t tolerated)
      : device_(device), options_(options), tolerated_(tolerated) {}
  void add(const std::shared_ptr<const InspectedLaunch>& launch);

  Device& device_;
  const InspectionOptions options_;
  const uint64_t tolerated_;  // bits 1 << MtFindingKind
  mutable std::mutex mutex_;
  bool closed_ = false;
  uint64_t dropped_ = 0, trace_used_ = 0, made_ = 0;
  std::vector<std::shared_ptr<const InspectedLaunch>> launches_;
};

/// While one lives, this thread's launches are not recorded, and only checked for what
/// always is; of a user's kernels with `checked` for what the open inspections ask for.
class Unwatched {
 public:
  explicit Unwatched(bool checked = false);
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  const bool former_;
};

/// Does one of them live in this thread?
bool is_unwatched();

/// Has this thread an inspection open that wants the library's launches?
bool inspects_library();
/// Has it one open that wants such a launch?
bool inspects_launch(bool user_kernel);

/// Used by `launch`: the kernel and arrays of a launch of the library that is recorded,
/// by its number (work_note.h).
void note_inspected(uint64_t number, std::shared_ptr<const KernelFacts> kernel,
                    std::span<const ArrayNote> arrays);

/// Whose kernel is launched, and has it the checks and the budget of a user's?
struct LaunchedFor {
  bool user = true, checked = true;
};

/// Used by `launch`: what the emulator is told of a launch of this thread. To `tag`
/// (launch_record.h) it adds who inspects it.
MtLaunchOptions launch_options(Device& device, LaunchedFor whom, uint64_t tag);
/// Used by graphs: the same for a replay of `launches` kernels, each of which has the
/// tag and the checks of its capture.
MtLaunchOptions replay_options(Device& device, size_t launches);

/// One counter: its name, Nsight Compute's name where the meaning is the same ("" where
/// not), and the meaning.
struct CounterName {
  const char *name, *metric, *meaning;
};
const std::vector<CounterName>& counter_names();

}  // namespace minitorch::runtime

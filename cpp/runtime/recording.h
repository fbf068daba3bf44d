// Recordings of what all threads do: their scopes, work, waits and memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/recorder.h"

namespace minitorch::runtime {

/// What was told between `open` and `close`, of all threads. Recordings may be nested
/// or overlap.
class Recording : public std::enable_shared_from_this<Recording> {
 public:
  static std::shared_ptr<Recording> open(const RecordingOptions& options);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Ends it, then waits for the devices' work. A second call does nothing.
  void close();
  bool closed() const;

  /// A row with the log that it lies in; `id` counts the rows of a kind by their
  /// beginning, and `parent` or `scope` is the id of a scope, or -1.
  template <class Record>
  struct Row {
    const ThreadLog* log;
    const Record* record;
    int64_t scope;
  };
  struct DeviceTime {
    int64_t begin = 0, end = 0;  // 0: not known
    int64_t depth = -1;          // work in the stream before it; -1: not known
  };
  // After `close`.
  const std::vector<Row<ScopeRecord>>& scopes() const { return scopes_; }
  const std::vector<Row<WorkRecord>>& works() const { return works_; }
  const std::vector<DeviceTime>& device_times() const { return device_times_; }
  const std::vector<Row<WaitRecord>>& waits() const { return waits_; }
  const std::vector<Row<MemoryRecord>>& memory() const { return memory_; }
  uint64_t dropped() const { return dropped_; }
  const RecordingOptions& options() const { return options_; }
  int64_t opened_ns() const { return opened_; }
  int64_t closed_ns() const { return closed_; }

 private:
  explicit Recording(const RecordingOptions& options) : options_(options) {}
  void harvest();
  void cut_to_room();
  void find_times();

  const RecordingOptions options_;
  std::vector<std::shared_ptr<ThreadLog>> logs_;
  std::atomic<bool> ended_{false};
  int64_t opened_ = 0, closed_ = 0;
  uint64_t dropped_ = 0;
  std::vector<Row<ScopeRecord>> scopes_;
  std::vector<Row<WorkRecord>> works_;
  std::vector<DeviceTime> device_times_;
  std::vector<Row<WaitRecord>> waits_;
  std::vector<Row<MemoryRecord>> memory_;
};

}  // namespace minitorch::runtime

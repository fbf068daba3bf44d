// The records of finished launches: one as MtLaunch shows it, and those of a context
// that nobody has taken.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simt/observers/observed.h"
#include "simt/program/launch.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

/// An MtLaunch with all that it points to.
class LaunchRecord {
 public:
  /// `facts`: the fields that are plain values.
  LaunchRecord(const Launch& launch, const MtLaunch& facts, Outcome outcome);
  LaunchRecord(const LaunchRecord&) = delete;
  LaunchRecord& operator=(const LaunchRecord&) = delete;

  const MtLaunch& view() const { return view_; }

 private:
  friend class LaunchRecords;
  struct Line {
    MtLine at;
    std::vector<MtLine> callers;
    Counts counts{};
  };

  void add_finding(const MtFinding& finding);
  Line line_of(uint32_t position) const;
  void show_counters();
  void show_trace();
  void add_function(const ptx::Function& function);

  std::shared_ptr<const ptx::Module> module_;
  Outcome outcome_;
  MtLaunch view_;
  Counts totals_{};
  std::vector<Line> lines_;
  std::vector<MtLineCounters> shown_lines_;
  MtTrace trace_{};
  std::vector<std::unique_ptr<Line>> places_;  // of the trace's instructions
  std::vector<MtTraceInstruction> instructions_;
  std::vector<MtTraceRegister> registers_;
};

/// The records of one context, oldest first.
class LaunchRecords {
 public:
  /// Adds a record and lets go of the oldest beyond `most`.
  void add(std::unique_ptr<LaunchRecord> record, uint32_t most);
  /// One more finding of the launch with this number, if its record is still here.
  void add_finding(uint64_t number, const MtFinding& finding);
  /// The oldest, or null.
  std::unique_ptr<LaunchRecord> take();
  /// The number for the next launch of the context.
  uint64_t next_number();

 private:
  std::mutex mutex_;
  std::deque<std::unique_ptr<LaunchRecord>> records_;
  uint64_t dropped_ = 0, number_ = 0;
};

}  // namespace minitorch::libcuda

// What all host threads of one launch share: the program, the view of memory, and which
// block ended the launch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "simt/program/code.h"
#include "simt/program/launch.h"

namespace minitorch::simt {

/// How much printf output one launch may make, in bytes.
inline constexpr uint64_t kPrintLimit = uint64_t{1} << 20;

/// Host threads that have blocks left, and those of them whose blocks all repeat
/// themselves: when all do, only time may end their waiting. Then it leaps, for all of
/// them; when no leap has helped, nobody will.
class Standstill {
 public:
  /// How far clocks go on with each leap, in ns. A loop may compare 64, 32 or 31 bits
  /// of a clock: each of these is far from where it was after some leap.
  static constexpr std::array<uint64_t, 5> kLeaps = {
      uint64_t{1} << 10, uint64_t{1} << 20, uint64_t{1} << 30,
      (uint64_t{1} << 30) - (uint64_t{1} << 21), uint64_t{1} << 42};

  void begin() {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  void end(bool stuck, uint32_t leaps) {
    const std::lock_guard lock(mutex_);
    --running_;
    if (stuck && leaps == leaps_) --stuck_;
  }
  /// One thread's blocks repeat themselves, or no longer. `leaps`: those it knows of;
  /// false when there have been more, which it has to see first. `time`: its blocks
  /// have read clocks.
  bool set_stuck(bool stuck, uint32_t leaps, bool time) {
    const std::lock_guard lock(mutex_);
    if (leaps != leaps_) return false;
    stuck_ += stuck ? 1 : ~0u;
    time_ |= time;
    return true;
  }
  bool all_stuck(uint32_t leaps) const {
    const std::lock_guard lock(mutex_);
    return leaps == leaps_ && stuck_ == running_;
  }
  /// Whether time could still end the waiting.
  bool may_leap() const {
    const std::lock_guard lock(mutex_);
    return time_ && leaps_ < kLeaps.size();
  }
  /// All begin again to look whether their blocks repeat themselves.
  void leap(uint32_t leaps) {
    const std::lock_guard lock(mutex_);
    if (leaps != leaps_) return;
    leaps_ = leaps + 1;
    stuck_ = 0;
  }
  uint32_t leaps() const { return leaps_; }

 private:
  mutable std::mutex mutex_;
  uint32_t running_ = 0, stuck_ = 0;
  bool time_ = false;
  std::atomic<uint32_t> leaps_ = 0;
};

struct LaunchState {
  const Launch* launch = nullptr;
  const Program* program = nullptr;
  std::shared_ptr<const AllocationTable> table;
  uint64_t blocks = 0;
  uint32_t shared_bytes = 0;   // static and dynamic
  uint32_t dynamic_start = 0;  // of the dynamic part
  uint32_t warps = 0;          // of one block
  uint32_t threads = 0;        // of one block

  mutable std::atomic<uint64_t> faulted_block{~uint64_t{0}};
  mutable Standstill standstill;
  mutable std::atomic<uint64_t> printed{0};
  mutable std::atomic<bool> print_cut{false};
  mutable std::mutex print_mutex;

  /// Dynamic shared memory starts behind the entry's own, at the alignment it needs.
  void place_shared() {
    const uint32_t fixed = entry().function->shared_bytes;
    const uint32_t alignment =
        launch->dynamic_shared ? std::max(entry().function->shared_alignment, 16u) : 1;
    dynamic_start = (fixed + alignment - 1) / alignment * alignment;
    shared_bytes = dynamic_start + launch->dynamic_shared;
  }
  const FunctionCode& entry() const { return program->functions[program->entry]; }
  /// Does the kernel call malloc? Then it may come to touch all of the arena, since
  /// what it frees is not given out again at once.
  bool allocates() const {
    return entry().function->uses_calls &&
           program->module->find_function("malloc") != ptx::kNone;
  }
  /// Behind the last byte of the arena that the launch may touch.
  uint64_t used_end(const Memory& memory) const {
    return allocates() ? memory.arena_base() + memory.arena_size() : known_end(memory);
  }
  /// The same of what is allocated before it.
  uint64_t known_end(const Memory& memory) const {
    const auto& all = table->all();
    return all.empty() ? memory.arena_base() : all.back().end();
  }
  bool cancelled() const { return launch->cancel && launch->cancel->requested(); }
  /// A block after the one that ended the launch need not run on.
  bool is_pointless(uint64_t block) const {
    return block > faulted_block.load(std::memory_order_relaxed);
  }
  void note_fault(uint64_t block) const {
    uint64_t known = faulted_block.load();
    while (block < known && !faulted_block.compare_exchange_weak(known, block)) {
    }
  }
};

}  // namespace minitorch::simt

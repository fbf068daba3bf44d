// Owns what all host threads of one launch share: the program, the view of memory, and
// which block ended the launch. Must not know how blocks run.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "simt/program/code.h"
#include "simt/program/launch.h"

namespace minitorch::simt {

/// How much printf output one launch may make, in bytes.
inline constexpr uint64_t kPrintLimit = uint64_t{1} << 20;

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
  /// Host threads that have blocks left, and those of them whose blocks all repeat
  /// themselves: when all do, nobody will end their waiting.
  mutable std::atomic<uint32_t> running{0}, stuck{0};
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
  /// Behind the last byte of the arena that the launch may touch: a kernel's own malloc
  /// may go beyond what is allocated now.
  uint64_t used_end(const Memory& memory) const {
    if (entry().function->uses_calls) return memory.arena_base() + memory.arena_size();
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

// The recording of a trace: rows are added until its limit is reached.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "simt/observers/observed.h"
#include "simt/warp/context.h"

namespace minitorch::simt {

class TraceWriter final : public Observer {
 public:
  static constexpr ObserverId kId = ObserverId::Trace;

  explicit TraceWriter(const Launch& launch);

  /// Whether the path of `context` is to be recorded: nothing else may be given.
  bool wants(const Context& context) {
    if (!filtered_) return true;
    const uint64_t block = context.block->number;
    if (block != asked_block_) ask(block);
    return wants_block_ && (warps_ >> context.warp->index & 1) != 0;
  }

  /// The path of `context` comes to an instruction, which `executing` lanes execute.
  void step(const Context& context, uint32_t instruction, uint32_t executing);
  /// The executing lanes are about to access `form.vector` elements from `at` on.
  void access(const Context& context, const MemoryForm& form, ptx::Space space,
              uint32_t mask, const uint64_t* at);
  /// Reads what lies at the addresses given since the last call.
  void values(const Context& context);
  /// A register as it is now.
  void result(const Context& context, uint32_t number, const uint64_t* values);

  void give(Outcome& outcome) override;

 private:
  void ask(uint64_t block);
  /// False, and cut, when `bytes` more are too much.
  bool has_room(uint64_t bytes);
  uint64_t row_of_step(const Context& context);

  const uint64_t limit_;
  const uint32_t warps_;  // bits of those that are wanted
  const bool filtered_;   // whether some are not
  const bool all_blocks_;
  std::vector<uint64_t> blocks_;  // that are wanted, unless all are
  uint64_t asked_block_ = ~uint64_t{0};
  bool wants_block_ = false;  // the one asked about last
  uint64_t bytes_ = 0;
  std::unique_ptr<TraceColumns> columns_;
  std::vector<uint64_t> pending_;  // rows of accesses whose values are to be read
  /// The row of the last step of each lane of a warp (paths of it take turns).
  std::unordered_map<uint64_t, std::array<uint64_t, kLanes>> last_;
};

}  // namespace minitorch::simt

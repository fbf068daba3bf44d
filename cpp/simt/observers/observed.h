// What observers bring back from one launch: counters by position, the columns of a
// trace. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cuda_abi/inspect.h"

namespace minitorch::simt {

using Counts = std::array<uint64_t, MtCounter_Count>;

/// The columns of MtTrace. An instruction or register of function f is numbered after
/// all those of functions 0 to f - 1 of the module.
struct TraceColumns {
  bool truncated = false;
  std::vector<uint32_t> block, warp, instruction, mask;
  std::vector<uint64_t> access_step, access_address, access_value;
  std::vector<uint32_t> access_mask;
  std::vector<uint8_t> access_kind, access_space, access_size, access_element;
  std::vector<uint64_t> result_step, result_value;
  std::vector<uint32_t> result_register;

  /// What the rows take.
  uint64_t bytes() const {
    return block.size() * kStepBytes + access_step.size() * kAccessBytes +
           result_step.size() * kResultBytes;
  }
  static constexpr uint64_t kStepBytes = 4 * 4;
  static constexpr uint64_t kAccessBytes = 8 + 4 + 4 + 2 * 32 * 8;
  static constexpr uint64_t kResultBytes = 8 + 4 + 32 * 8;
};

struct Observed {
  bool counted = false;
  std::map<uint32_t, Counts> by_position;  // key: Module::positions index, or kNone
  std::unique_ptr<TraceColumns> trace;     // null unless asked for
  std::optional<MtSectors> sectors;        // the same
};

}  // namespace minitorch::simt

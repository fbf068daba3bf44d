// What lowering knows of a straight kernel: how the addresses and guards of a block
// follow from those of another, and the steps that are then left to do. Plain data,
// made by program/passes/plan_replay.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/lanes/step.h"

namespace minitorch::simt {

/// A row as a number: 4 or 8 bytes a lane. Until rows are laid out, `row` is the number
/// of the value (program/values.h).
struct RowNumber {
  uint32_t row = 0;
  uint8_t bytes = 4;
  bool is_signed = false;
};

/// The kernel has no loop, no barrier and no branch but guards that leave it: each
/// thread runs the same instructions, or leaves at a guard.
struct ReplayPlan {
  static constexpr uint32_t kFixed = 0xffffffffu;  // instead of a Linear: no block's

  /// A register that is linear in the block's coordinates: its value in one block plus,
  /// for each coordinate, a coefficient times the distance, modulo 2^32 or 2^64. Each
  /// coefficient is the sum of those of `terms` times their factors.
  struct Term {
    uint32_t linear;
    bool negative = false;
    bool scaled = false;  // by `factor`, the same in all threads
    bool power = false;   // by two to the power of `factor`
    RowNumber factor;
  };
  struct Linear {
    RowNumber value;
    std::vector<Term> terms;
  };
  /// left < right, or left <= right, or left != right in every lane.
  enum class Relation : uint8_t { Less, LessEqual, Different };
  struct Side {
    uint32_t linear;
    RowNumber value;
  };
  struct Guard {
    Relation relation;
    Side left, right;
  };
  struct Access {
    uint32_t linear;
    uint32_t number;  // Step::e
    uint32_t instruction;
    uint32_t pattern;
    int64_t offset;
    uint32_t size;
    bool store;
  };

  std::vector<Linear> linears;  // the first three: %ctaid.x, y, z
  std::vector<Side> unwrapped;  // linears that are used as numbers, not modulo
  std::vector<Guard> guards;    // hold where no thread leaves early
  std::vector<Access> accesses;
  std::vector<Step> steps;   // all that is not fixed and not linear
  bool needs_block = false;  // steps read what changes by block
  bool needs_warp = false;   // or by warp: else all may use one register file
};

}  // namespace minitorch::simt

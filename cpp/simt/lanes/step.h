// The executable form of one instruction and the state its lane arithmetic sees. The
// same handlers are compiled once per instruction set (portable, AVX2, AVX-512); see
// lanes/isa.h.
#pragma once

#include <cstdint>

namespace minitorch::simt {

inline constexpr uint32_t kLanes = 32;
inline constexpr uint32_t kFullMask = 0xffffffffu;

/// What is known of the 32 addresses in a register, so that [reg + imm] need not look
/// at each lane again; slot 0 is a dummy. Writers of the register clear `valid`, who
/// looks at the lanes sets it to 1.
/// Addresses of 32 bits count as signed.
/// Strided: lane i of half-warp h holds base[h] + stride * i. Else base holds the least
/// and the greatest address.
struct Pattern {
  uint8_t valid = 0;
  uint8_t strided = 0;
  uint8_t low_bits = 0;    // or of the low bits of all addresses, for alignment
  uint8_t wavefronts = 0;  // of a shared access, if valid is 1 + its size
  uint32_t stride = 0;
  uint64_t base[2] = {0, 0};
};

struct LaneState;
struct Step;

/// Executes `step` for the lanes of the state and returns the next step to run (usually
/// `step + 1`), or nullptr when the path stops here (barrier, join, exit, fault).
using Handler = const Step* (*)(LaneState&, const Step* step);

/// The part of a warp that lane arithmetic needs. A register is a row of 32 lanes in
/// the register file: 4 bytes a lane for types up to 32 bits (8- and 16-bit values are
/// kept zero-extended), 8 bytes a lane for 64-bit types; a predicate is one uint32_t
/// bit mask. Immediates, special registers and parameters are rows as well, filled
/// beforehand.
struct LaneState {
  uint8_t* registers = nullptr;  // 64-byte aligned
  Pattern* patterns = nullptr;
  uint32_t mask = 0;     // lanes that execute
  uint32_t partial = 0;  // 0: mask is full, run Step::full; 1: run Step::masked
  uint32_t division_by_zero = 0;  // lanes that divided by 0 since last cleared
  /// ~0u where the lane executes; valid if partial.
  alignas(64) uint32_t lanes[kLanes] = {};
};

/// One decoded instruction with its operands resolved to byte offsets of rows in the
/// register file. `full` may assume that all 32 lanes execute; `masked` must leave the
/// other lanes' destination untouched.
struct alignas(64) Step {
  Handler run[2] = {nullptr, nullptr};  // [0] full mask, [1] partial mask
  uint32_t d = 0, a = 0, b = 0, c = 0;  // destination and source rows
  uint32_t d2 = 0;                      // second destination (setp p|q, carry flag row)
  uint32_t e = 0;               // fourth source / carry-in row / guard predicate row
  int64_t immediate = 0;        // address offset, branch data, lookup tables
  uint16_t clears_pattern = 0;  // slot to invalidate because `d` is written
  uint16_t pattern = 0;         // slot of the address register
  uint32_t instruction = 0;     // index in ptx::Function::instructions
};

}  // namespace minitorch::simt

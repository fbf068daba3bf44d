// Owns the layout of a function's register file: which row holds which register,
// constant or scratch value. Must not know instructions.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "emulator/code.h"

namespace minitorch::emulator {

class RegisterFile {
 public:
  RegisterFile(const LoadedModule& module, FunctionCode& code);

  /// Row of a register, made at its first use.
  uint32_t row(uint32_t reg);
  /// Row of the register's shadow (poison.h), made at its first use.
  uint32_t shadow(uint32_t reg);
  /// From now on the register is this constant row.
  void alias(uint32_t reg, uint32_t row) { rows_[reg] = row; }
  bool has_row(uint32_t reg) const { return rows_[reg] != kNone; }
  /// Bytes a lane of the register: 4 or 8, 0 for a predicate.
  uint32_t lane_bytes(uint32_t reg) const;
  const ptx::Register& declared(uint32_t reg) const;

  /// The row of an immediate, special register, variable or function; `lane_bytes` as
  /// it is read.
  uint32_t constant(const ptx::Operand& operand, uint32_t lane_bytes);
  uint32_t value(uint64_t bits, uint32_t lane_bytes);
  /// `size` bytes of the launch's parameters, extended to a row.
  uint32_t parameter(uint32_t offset, uint32_t size, uint32_t lane_bytes,
                     bool sign_extend);
  /// A row for an intermediate value of one instruction; `which` tells them apart.
  uint32_t scratch(uint32_t which, uint32_t lane_bytes);
  Slot buffer(uint32_t bytes);

  /// Pattern slot of an address register.
  uint16_t pattern(uint32_t row);
  uint16_t known_pattern(uint32_t row) const;

  void finish();

 private:
  static constexpr uint32_t kNone = ptx::kNone;
  using Key =
      std::tuple<RowFill::Kind, ptx::Special, uint32_t, bool, uint32_t, uint64_t>;

  uint32_t allocate(uint32_t lane_bytes);
  uint32_t constant_row(RowFill fill);
  RowFill variable_fill(const ptx::Operand& operand) const;
  std::vector<RowFill>& list_of(const RowFill& fill);

  const LoadedModule& module_;
  FunctionCode& code_;
  std::vector<uint32_t> rows_;
  std::map<uint32_t, uint32_t> shadows_;  // by register
  std::map<Key, uint32_t> constants_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> scratch_;
  std::map<uint32_t, uint16_t> patterns_;  // by row
  uint32_t next_ = 0, next_predicate_ = 0, predicates_left_ = 0;
};

}  // namespace minitorch::emulator

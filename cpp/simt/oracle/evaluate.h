// What one arithmetic instruction computes in one thread, for the scalar oracle.
// Written from the ISA, independently of the lane handlers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/opcode.h"

namespace minitorch::simt::scalar {

/// Operands of one instruction: raw bits in PTX order, and the carry flag.
struct Operands {
  uint64_t of[5] = {};
  size_t count = 0;
  bool carry = false;

  uint64_t operator[](size_t i) const { return of[i]; }
};

/// Results in PTX order; signed integers extend to 64 bits, predicates are 0 or 1.
struct Results {
  bool supported = true;
  uint64_t of[4] = {};
  bool carry = false;  // the flag afterwards, for .cc
  bool divided_by_zero = false;
};

inline Results result(uint64_t value) { return {true, {value}, false, false}; }
inline Results unsupported_form() { return {false, {}, false, false}; }

/// Arithmetic, logic, comparison, conversion, moves.
Results evaluate(const ptx::Opcode& opcode, const Operands& operands);

// Its parts, by kind of opcode.
Results evaluate_integer(const ptx::Opcode& opcode, const Operands& operands);
Results evaluate_bits(const ptx::Opcode& opcode, const Operands& operands);
Results evaluate_float(const ptx::Opcode& opcode, const Operands& operands);
Results evaluate_convert(const ptx::Opcode& opcode, const Operands& operands);
Results evaluate_compare(const ptx::Opcode& opcode, const Operands& operands);

/// Width in bits: 1 for predicates.
int width_of(ptx::Type type);
/// The bits of a value of `type`.
uint64_t width_mask(ptx::Type type);
/// The low bits of `bits` as a number of `type`.
__int128 read_integer(ptx::Type type, uint64_t bits);
/// A subnormal float becomes a zero of its sign.
uint64_t flush(ptx::Type type, uint64_t bits);
/// The type of the halves of f16x2, bf16x2, u16x2, s16x2; else None.
ptx::Type element_of(ptx::Type type);

}  // namespace minitorch::simt::scalar

// The contract of lane arithmetic: instructions whose result in a lane depends on the
// operands in that lane only (arithmetic, logic, comparison, conversion, moves,
// selects).
#pragma once

#include "ptx/opcode.h"
#include "simt/lanes/isa.h"
#include "simt/lanes/step.h"

namespace minitorch::simt {

/// The two handlers for `opcode`, or {nullptr, nullptr} when it is not lane arithmetic
/// or its form is not supported. Widths follow the opcode's types, not the registers'
/// declared ones: see row_bytes. How a Step must be filled:
///
/// - `d`: destination; `a`, `b`, `c`, `e`: sources in PTX order (bfi, lop3 and the
///   packing of four parts have four). Every operand is a row, immediates too.
///   Predicate sources are rows of one uint32_t; a negated one is turned into such a
///   row beforehand.
/// - setp: always writes `d` and `d2` (q of p|q); give a scratch row for one not
///   wanted. The predicate of setp.CMP.BOOL, set.CMP.BOOL and selp is simply the next
///   source.
/// - Carry chains: the flag is a predicate row, read from `e`, written to `d2`.
/// - Unpack: destinations are `d`, `d2` and, for four parts, `b` and `c`; source `a`.
///   Opcode::vector is the number of parts, Opcode::type the whole.
/// - Handlers clear the pattern slot of `d` only: whoever unpacks into more rows must
///   not keep patterns for the others.
///
/// `state.mask` must be kFullMask when `full` runs. Handlers expect the host to round
/// to nearest and to keep subnormals, and leave it so.
struct HandlerPair {
  Handler full = nullptr, masked = nullptr;
};
HandlerPair find_arithmetic(const ptx::Opcode& opcode, Isa isa);

/// Bytes per lane of a row of `type`: 4 up to 32 bits, else 8; 0 for predicates.
uint32_t row_bytes(ptx::Type type);

}  // namespace minitorch::simt

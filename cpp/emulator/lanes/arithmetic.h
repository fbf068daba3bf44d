// Owns the contract of lane arithmetic: instructions whose result in a lane depends on the
// operands in that lane only (arithmetic, logic, comparison, conversion, moves, selects).
// Must not know memory or control flow.
#pragma once

#include "emulator/lanes/isa.h"
#include "emulator/lanes/step.h"
#include "ptx/opcode.h"

namespace minitorch::emulator {

/// The two handlers for `opcode`, or {nullptr, nullptr} when it is not lane arithmetic or
/// its form is not supported. Operand rows: `d` (and `d2`: second predicate of setp p|q;
/// row of the carry flag for .cc), sources a, b, c in PTX order (predicate operands are
/// rows of one uint32_t), `e`: carry flag row for addc/subc/madc, predicate source of
/// setp.CMP.BOOL / selp is simply the next source. A negated predicate source is turned
/// into a row by the caller beforehand. Widths follow the opcode's types, not the
/// registers' declared ones: see row_bytes.
struct HandlerPair {
  Handler full = nullptr, masked = nullptr;
};
HandlerPair find_arithmetic(const ptx::Opcode& opcode, Isa isa);

/// Bytes per lane of an operand row of `type`: 4 up to 32 bits, else 8; 0 for predicates.
uint32_t row_bytes(ptx::Type type);

}  // namespace minitorch::emulator

// Owns the reading of opcode texts ("mad.lo.s32") by the rows of opcodes.inc and
// modifiers.inc; must not know operands' values.
#pragma once

#include <string_view>

#include "ptx/opcode.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// One row of opcodes.inc. Types and groups are bit sets.
struct OpcodeRow {
  Op op;
  std::string_view mnemonics, signature;
  uint32_t types, source_types, groups;
};

const OpcodeRow& row_of(Op op);

/// The type named `word` ("f32"), or None.
Type find_type(std::string_view word);

/// Decodes a whole opcode. Legal PTX that this library refuses gives Op::Unsupported.
/// Raises: PtxError when no such instruction exists.
Opcode parse_opcode(std::string_view text, syntax::Place place);

}  // namespace minitorch::ptx

// The reading of opcode texts ("mad.lo.s32") by the rows of opcodes.inc and
// modifiers.inc.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "ptx/opcode.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// One row of opcodes.inc. Types and groups are bit sets.
struct OpcodeRow {
  Op op;
  std::string_view mnemonics, signature;
  uint32_t types, source_types, groups;
};

/// Modifiers of which an instruction takes at most one (hints: any number).
enum Group : uint32_t {
  kFtz = 1u << 0,
  kSat = 1u << 1,
  kApprox = 1u << 2,
  kCc = 1u << 3,
  kNan = 1u << 4,
  kRelu = 1u << 5,
  kRound = 1u << 6,
  kRoundInt = 1u << 7,
  kPart = 1u << 8,
  kCompare = 1u << 9,
  kCombine = 1u << 10,
  kSpace = 1u << 11,
  kTo = 1u << 12,
  kOrder = 1u << 13,
  kScope = 1u << 14,
  kVector = 1u << 15,
  kNonCoherent = 1u << 16,
  kAtomic = 1u << 17,
  kShuffle = 1u << 18,
  kCollective = 1u << 19,
  kUni = 1u << 20,
  kAligned = 1u << 21,
  kShiftSide = 1u << 22,
  kShiftMode = 1u << 23,
  kShiftAmount = 1u << 24,
  kPermute = 1u << 25,
  kFloatClass = 1u << 26,
  kHint = 1u << 27,
  kMatrix = 1u << 28,   // read by matrix.h
  kXorSign = 1u << 29,  // .xorsign.abs
  kPolicy = 1u << 30,   // .L2::cache_hint
  kSum = 1u << 31,      // vabsdiff4.add
};
/// One row of modifiers.inc.
struct ModifierRow {
  std::string_view word;
  uint32_t group;
  void (*apply)(Opcode&);
};
/// A spelling of a row; addc, subc and madc are not the first of theirs.
struct Mnemonic {
  const OpcodeRow* row;
  bool first;
};

const OpcodeRow& row_of(Op op);

/// The type of an operand by its letter in a signature, where the letter has one:
/// vectors and fragments are the decoder's.
Type slot_type(char letter, const Opcode& opcode);

std::span<const ModifierRow> modifiers();
const std::unordered_map<std::string_view, Mnemonic>& mnemonics();

/// The type named `word` ("f32"), or None.
Type find_type(std::string_view word);

/// Whether `word` belongs to the PTX language, though no instruction we execute takes
/// it.
bool find_foreign_word(std::string_view word);

/// Decodes a whole opcode. Legal PTX that this library refuses gives Op::Unsupported.
/// Raises: PtxError when no such instruction exists.
Opcode parse_opcode(std::string_view text, syntax::Place place);

}  // namespace minitorch::ptx

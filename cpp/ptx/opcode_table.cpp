#include "ptx/opcode_table.h"

#include <algorithm>

#include "base/enumerators.h"
#include "ptx/type_sets.h"

namespace minitorch::ptx {
namespace {

constexpr uint32_t kFloatMods = kFtz | kSat | kRound;
constexpr OpcodeRow kRows[] = {
#define PTX_OP(name, mnemonics, signature, types, sources, groups, ...) \
  {Op::name, mnemonics, signature, types, sources, groups},
#define PTX_LANE(...) PTX_OP(__VA_ARGS__)
#include "ptx/opcodes.inc"
#undef PTX_LANE
#undef PTX_OP
};
static_assert(base::rows_follow_enumerators<kRows>([](const OpcodeRow& row) {
  return row.op;
}));

const ModifierRow kModifiers[] = {
#define PTX_MODIFIER(word, group, ...) {word, group, [](Opcode& o) { o.__VA_ARGS__; }},
#include "ptx/modifiers.inc"
#undef PTX_MODIFIER
};

}  // namespace

std::span<const ModifierRow> modifiers() { return kModifiers; }

const std::unordered_map<std::string_view, Mnemonic>& mnemonics() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Mnemonic> made;
    for (const OpcodeRow& row : kRows) {
      for (std::string_view rest = row.mnemonics; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find('|'));
        made[word] = {&row, rest.size() == row.mnemonics.size()};
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      }
    }
    return made;
  }();
  return table;
}

const OpcodeRow& row_of(Op op) { return kRows[static_cast<int>(op)]; }

namespace {

Type twice(Type type) {
  switch (type) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    case Type::S32:
      return Type::S64;
    default:
      return type;
  }
}

}  // namespace

Type slot_type(char letter, const Opcode& opcode) {
  switch (letter) {
    case 's':
      return opcode.source_type;
    case 'u':
      return Type::U32;
    case 'a':
      return Type::U64;
    case 'p':
      return Type::Pred;
    case 'w':
      return opcode.part == Part::Wide ? twice(opcode.type) : opcode.type;
    default:
      return opcode.type;
  }
}

Type find_type(std::string_view word) {
  if (word.size() < 2 || word == "none") return Type::None;
  for (int type = 1; type < kTypes; ++type)
    if (word == type_name(static_cast<Type>(type))) return static_cast<Type>(type);
  return Type::None;
}

}  // namespace minitorch::ptx

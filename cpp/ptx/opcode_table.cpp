// Owns the reading of opcode texts by the rows of opcodes.inc and modifiers.inc; must
// not know operands' values.
#include "ptx/opcode_table.h"

#include <algorithm>

#include "base/enumerators.h"

namespace minitorch::ptx {
namespace {

template <class... Types>
constexpr uint32_t types(Types... type) {
  return ((1u << static_cast<int>(type)) | ... | 0u);
}
constexpr uint32_t kPred = types(Type::Pred), kB8 = types(Type::B8),
                   kB32 = types(Type::B32), kB64 = types(Type::B64),
                   kU32 = types(Type::U32), kU64 = types(Type::U64),
                   kS32 = types(Type::S32), kF32 = types(Type::F32),
                   kI8 = types(Type::U8, Type::S8), kI16 = types(Type::U16, Type::S16),
                   kI32 = types(Type::U32, Type::S32),
                   kI64 = types(Type::U64, Type::S64), kInt = kI16 | kI32 | kI64,
                   kSigned = types(Type::S16, Type::S32, Type::S64),
                   kBits = types(Type::B16, Type::B32, Type::B64),
                   kF = types(Type::F32, Type::F64), kTF32 = types(Type::TF32),
                   kI4 = types(Type::U4, Type::S4),
                   kIntPair = types(Type::U16x2, Type::S16x2),
                   kHalf = types(Type::F16, Type::F16x2, Type::BF16, Type::BF16x2);

constexpr uint32_t kFloatMods = kFtz | kSat | kRound;
constexpr OpcodeRow kRows[] = {
#define PTX_OP(name, mnemonics, signature, types, sources, groups) \
  {Op::name, mnemonics, signature, types, sources, groups},
#include "ptx/opcodes.inc"
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

Type find_type(std::string_view word) {
  if (word.size() < 2 || word == "none") return Type::None;
  for (int type = 1; type < kTypes; ++type)
    if (word == type_name(static_cast<Type>(type))) return static_cast<Type>(type);
  return Type::None;
}

}  // namespace minitorch::ptx

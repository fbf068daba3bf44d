// Owns the reading of opcode texts by the rows of opcodes.inc and modifiers.inc; must not
// know operands' values.
#include "ptx/opcode_table.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "ptx/closest_words.h"
#include "ptx/decode.h"

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
                   kI32 = types(Type::U32, Type::S32), kI64 = types(Type::U64, Type::S64),
                   kInt = kI16 | kI32 | kI64,
                   kSigned = types(Type::S16, Type::S32, Type::S64),
                   kBits = types(Type::B16, Type::B32, Type::B64),
                   kF = types(Type::F32, Type::F64),
                   kHalf = types(Type::F16, Type::F16x2, Type::BF16, Type::BF16x2);

enum Group : uint32_t {
  kFtz = 1u << 0, kSat = 1u << 1, kApprox = 1u << 2, kCc = 1u << 3, kNan = 1u << 4,
  kRelu = 1u << 5, kRound = 1u << 6, kRoundInt = 1u << 7, kPart = 1u << 8,
  kCompare = 1u << 9, kCombine = 1u << 10, kSpace = 1u << 11, kTo = 1u << 12,
  kOrder = 1u << 13, kScope = 1u << 14, kVector = 1u << 15, kNonCoherent = 1u << 16,
  kAtomic = 1u << 17, kShuffle = 1u << 18, kCollective = 1u << 19, kUni = 1u << 20,
  kAligned = 1u << 21, kShiftSide = 1u << 22, kShiftMode = 1u << 23,
  kShiftAmount = 1u << 24, kPermute = 1u << 25, kFloatClass = 1u << 26,
  kHint = 1u << 27,
};
constexpr uint32_t kFloatMods = kFtz | kSat | kRound;
// An opcode that takes one of these cannot do without.
constexpr uint32_t kRequired = kCompare | kAtomic | kShuffle | kCollective | kShiftSide |
                               kFloatClass;

constexpr OpcodeRow kRows[] = {
#define PTX_OP(name, mnemonics, signature, types, sources, groups) \
  {Op::name, mnemonics, signature, types, sources, groups},
#include "ptx/opcodes.inc"
#undef PTX_OP
};

struct ModifierRow {
  std::string_view word;
  uint32_t group;
  void (*apply)(Opcode&);
};
const ModifierRow kModifiers[] = {
#define PTX_MODIFIER(word, group, ...) {word, group, [](Opcode& o) { o.__VA_ARGS__; }},
#include "ptx/modifiers.inc"
#undef PTX_MODIFIER
};

// Words of the PTX language that no instruction we execute takes.
constexpr std::string_view kForeign[] = {
    "e4m3x2", "e5m2x2", "e4m3x4", "e5m2x4", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2",
    "tf32", "f32x2", "u16x2", "s16x2", "satfinite", "rs", "xorsign", "v8", "b128",
    "mmio", "unified", "L2::cache_hint", "shared::cluster", "oob", "vec_16_bit",
    "vec_32_bit", "vec_64_bit", "sync_restrict", "scaled", "s2f6x2", "e2m1x4", "async"};

struct Mnemonic {
  const OpcodeRow* row;
  bool first;  // the first spelling of its row
};

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

bool holds(uint32_t set, Type type) { return (set >> static_cast<int>(type)) & 1u; }

// The state of decoding one opcode text.
struct Reader {
  std::string_view text;
  syntax::Place place;
  std::string_view mnemonic;
  const OpcodeRow* row = nullptr;
  Opcode opcode;
  int type_count = 0;
  uint32_t seen = 0;
  bool foreign = false;

  [[noreturn]] void fail(const std::string& need) const {
    throw PtxError(place.line, place.column,
                   base::text("got '", text, "'; need ", need, "."), false);
  }

  void find_mnemonic() {
    for (size_t end = text.size(); end != std::string_view::npos && end > 0;
         end = text.rfind('.', end - 1)) {
      const auto found = mnemonics().find(text.substr(0, end));
      if (found == mnemonics().end()) continue;
      mnemonic = found->first;
      row = found->second.row;
      opcode.op = row->op;
      opcode.carry_in = !found->second.first &&
                        (row->op == Op::Add || row->op == Op::Sub || row->op == Op::Mad);
      return;
    }
    std::vector<std::string_view> words;
    for (const auto& entry : mnemonics()) words.push_back(entry.first);
    fail(base::text("a PTX instruction such as ", closest_words(text, words, "")));
  }

  std::string allowed_words(std::string_view got) const {
    std::vector<std::string_view> words;
    for (const ModifierRow& modifier : kModifiers)
      if (row->groups & modifier.group) words.push_back(modifier.word);
    for (int type = 0; type <= static_cast<int>(Type::F64); ++type)
      if (holds(row->types | row->source_types, static_cast<Type>(type)))
        words.push_back(type_name(static_cast<Type>(type)));
    if (words.empty()) return base::text("'", mnemonic, "' alone");
    return base::text("one of ", closest_words(got, words, base::text(mnemonic, ".")));
  }

  bool take_type(std::string_view word) {
    const Type type = find_type(word);
    if (type == Type::None) return false;
    const bool third = type_count == 2 && row->op == Op::Vabsdiff4;
    const uint32_t allowed = type_count == 0 ? row->types
                             : type_count == 1 || third ? row->source_types
                                                        : 0;
    if (!holds(allowed, type)) {
      if (type == Type::B128) foreign = true;
      else fail(allowed_words(word));
    }
    if (type_count == 0) opcode.type = type;
    else opcode.source_type = type;
    ++type_count;
    return true;
  }

  bool take_modifier(std::string_view word) {
    for (const ModifierRow& modifier : kModifiers) {
      if (modifier.word != word || !(row->groups & modifier.group)) continue;
      if (modifier.group != kHint && (seen & modifier.group))
        fail(base::text("only one modifier like '.", word, "'"));
      seen |= modifier.group;
      modifier.apply(opcode);
      return true;
    }
    return false;
  }

  void take_words() {
    std::string_view rest = text.substr(mnemonic.size());
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::string_view word = rest.substr(0, rest.find('.'));
      rest.remove_prefix(word.size());
      if (take_type(word) || take_modifier(word)) continue;
      for (std::string_view known : kForeign) foreign |= known == word;
      foreign |= row->op == Op::Lop3 && (word == "and" || word == "or" || word == "xor");
      if (!foreign) fail(allowed_words(word));
    }
  }

  void check_complete() const {
    if (row->types != 0 && type_count == 0)
      fail(base::text("a type, ", allowed_words("")));
    if (row->source_types != 0 && type_count < 2)
      fail(base::text("two types, ", allowed_words("")));
    uint32_t required = row->groups & kRequired;
    const bool product = row->op == Op::Mul || row->op == Op::Mad;
    if ((product && !is_float(opcode.type)) || row->op == Op::Mul24 ||
        row->op == Op::Mad24)
      required |= kPart;
    if (row->op == Op::Isspacep || row->op == Op::Cvta) required |= kSpace;
    if (row->op == Op::Membar) required |= kScope;
    for (const ModifierRow& modifier : kModifiers)
      if ((required & modifier.group) && !(seen & modifier.group))
        fail(base::text("a modifier like '.", modifier.word, "'"));
  }

  // What the mnemonic itself says.
  void apply_mnemonic() {
    if (row->op == Op::Match)
      opcode.collective = mnemonic == "match.any.sync" ? Collective::Any
                                                       : Collective::All;
    if (mnemonic.starts_with("bar.")) opcode.aligned = true;
    if (type_count < 2) opcode.source_type = opcode.type;
  }
};

}  // namespace

const OpcodeRow& row_of(Op op) { return kRows[static_cast<int>(op)]; }

Type find_type(std::string_view word) {
  if (word.size() < 2 || word == "none") return Type::None;
  for (int type = 1; type <= static_cast<int>(Type::F64); ++type)
    if (word == type_name(static_cast<Type>(type))) return static_cast<Type>(type);
  return Type::None;
}

Opcode parse_opcode(std::string_view text, syntax::Place place) {
  Reader reader;
  reader.text = text;
  reader.place = place;
  reader.opcode.text = text;
  reader.find_mnemonic();
  if (reader.row->op != Op::Unsupported) {
    reader.take_words();
    if (!reader.foreign) reader.check_complete();
    reader.apply_mnemonic();
  }
  if (reader.foreign) {
    reader.opcode = Opcode{};
    reader.opcode.text = text;
  }
  return reader.opcode;
}

}  // namespace minitorch::ptx

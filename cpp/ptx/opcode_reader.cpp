// The reading of one opcode text by the rows of the tables.
#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "ptx/closest_words.h"
#include "ptx/decode.h"
#include "ptx/matrix.h"
#include "ptx/opcode_table.h"
#include "ptx/type_sets.h"

namespace minitorch::ptx {
namespace {

// An opcode that takes one of these cannot do without.
constexpr uint32_t kRequired =
    kCompare | kAtomic | kShuffle | kCollective | kShiftSide | kFloatClass;

// Words of the PTX language that no instruction we execute takes.
constexpr std::string_view kForeign[] = {"e4m3x2",
                                         "e5m2x2",
                                         "e4m3x4",
                                         "e5m2x4",
                                         "e2m1x2",
                                         "e2m3x2",
                                         "e3m2x2",
                                         "ue8m0x2",
                                         "f32x2",
                                         "satfinite",
                                         "rs",
                                         "v8",
                                         "b128",
                                         "mmio",
                                         "unified",
                                         "shared::cluster",
                                         "oob",
                                         "vec_16_bit",
                                         "vec_32_bit",
                                         "vec_64_bit",
                                         "sync_restrict",
                                         "scaled",
                                         "s2f6x2",
                                         "e2m1x4",
                                         "tensormap",
                                         "async",
                                         "e4m3",
                                         "e5m2",
                                         "e3m2",
                                         "e2m3",
                                         "e2m1",
                                         "ue8m0",
                                         "ue4m3",
                                         "mxf4",
                                         "mxf8f6f4",
                                         "mxf4nvf4",
                                         "kind::f8f6f4",
                                         "kind::mxf8f6f4",
                                         "block_scale",
                                         "sp",
                                         "sp::ordered_metadata",
                                         "m16n16",
                                         "m8n16",
                                         "b8x16",
                                         "b6x16_p32",
                                         "b4x16_p64"};

// Words that others take, in forms that we do not execute.
struct ForeignForm {
  Op op;
  std::string_view word;
};
constexpr ForeignForm kForeignForms[] = {
    {Op::Vabsdiff4, "sat"}, {Op::Atom, "v2"}, {Op::Atom, "v4"},
    {Op::Red, "v2"},        {Op::Red, "v4"},
};

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
      opcode.carry_in = !found->second.first && (row->groups & kCc) != 0;
      return;
    }
    std::vector<std::string_view> words;
    for (const auto& entry : mnemonics()) words.push_back(entry.first);
    fail(base::text("a PTX instruction such as ",
                    closest_words(text.substr(0, text.find('.')), words, "")));
  }

  std::string allowed_words(std::string_view got) const {
    std::vector<std::string_view> words;
    for (const ModifierRow& modifier : modifiers())
      if (row->groups & modifier.group) words.push_back(modifier.word);
    for (int type = 0; type < kTypes; ++type)
      if (holds(row->types | row->source_types, static_cast<Type>(type)))
        words.push_back(type_name(static_cast<Type>(type)));
    if (words.empty()) return base::text("'", mnemonic, "' alone");
    return base::text("one of ", closest_words(got, words, base::text(mnemonic, ".")));
  }

  bool take_type(std::string_view word) {
    const Type type = find_type(word);
    if (type == Type::None) return false;
    const bool third =
        type_count == 2 && (row->op == Op::Vabsdiff4 || row->op == Op::CvtPack);
    const uint32_t allowed = type_count == 0            ? row->types
                             : type_count == 1 || third ? row->source_types
                                                        : 0;
    if (!holds(allowed, type)) {
      if (type == Type::B128)
        foreign = true;
      else
        fail(allowed_words(word));
    }
    if (type_count == 0)
      opcode.type = type;
    else if (!third || row->op == Op::Vabsdiff4)
      opcode.source_type = type;
    ++type_count;
    return true;
  }

  bool take_modifier(std::string_view word) {
    for (const ModifierRow& modifier : modifiers()) {
      if (modifier.word != word || !(row->groups & modifier.group)) continue;
      if (!(modifier.group & (kHint | kXorSign)) && (seen & modifier.group))
        fail(base::text("only one modifier like '.", word, "'"));
      seen |= modifier.group;
      modifier.apply(opcode);
      return true;
    }
    return false;
  }

  // Legal in PTX, but a form of this instruction that we refuse.
  bool is_foreign(std::string_view word) const {
    if (find_foreign_word(word)) return true;
    return std::any_of(std::begin(kForeignForms), std::end(kForeignForms),
                       [&](const ForeignForm& form) {
                         return form.op == row->op && form.word == word;
                       });
  }

  void take_matrix_words() {
    std::string_view word;
    const auto words =
        read_matrix(mnemonic, text.substr(mnemonic.size()), opcode, word);
    if (words == MatrixWords::Wrong)
      fail(base::text("a shape, type or layout of ", mnemonic, " in place of '.", word,
                      "'"));
    foreign = words == MatrixWords::Foreign;
  }

  void take_words() {
    std::string_view rest = text.substr(mnemonic.size());
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::string_view word = rest.substr(0, rest.find('.'));
      rest.remove_prefix(word.size());
      if (take_type(word) || take_modifier(word)) continue;
      foreign |= is_foreign(word);
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
    if (row->op == Op::Lop3 && opcode.combine == Combine::Xor) fail("'.and' or '.or'");
    if (opcode.xor_sign && text.find(".xorsign.abs.") == std::string_view::npos)
      fail("'.xorsign.abs' before the type");
    for (const ModifierRow& modifier : modifiers())
      if ((required & modifier.group) && !(seen & modifier.group))
        fail(base::text("a modifier like '.", modifier.word, "'"));
    check_mbarrier();
  }

  // mbarriers lie in shared memory; who arrives releases, who waits acquires.
  void check_mbarrier() const {
    if (!is_mbarrier(row->op)) return;
    if (opcode.space != Space::Generic && opcode.space != Space::Shared)
      fail("'.shared' or no state space");
    const Order own = is_mbarrier_arrival(row->op) ? Order::Release : Order::Acquire;
    const Order order = opcode.order;
    if (order != Order::Weak && order != Order::Relaxed && order != own)
      fail(own == Order::Release ? "'.release' or '.relaxed'"
                                 : "'.acquire' or '.relaxed'");
    const bool scoped = opcode.scope != Scope::None;
    if (scoped != (order != Order::Weak) ||
        (scoped && opcode.scope != Scope::Cta && opcode.scope != Scope::Cluster))
      fail("an order together with '.cta' or '.cluster'");
  }

  // What the mnemonic itself says.
  void apply_mnemonic() {
    if (row->op == Op::Match)
      opcode.collective =
          mnemonic == "match.any.sync" ? Collective::Any : Collective::All;
    if (mnemonic.starts_with("bar.")) opcode.aligned = true;
    if (type_count < 2) opcode.source_type = opcode.type;
  }
};

}  // namespace

bool find_foreign_word(std::string_view word) {
  for (std::string_view known : kForeign)
    if (known == word) return true;
  return false;
}

Opcode parse_opcode(std::string_view text, syntax::Place place) {
  Reader reader;
  reader.text = text;
  reader.place = place;
  reader.opcode.text = text;
  reader.find_mnemonic();
  if (is_matrix(reader.row->op)) {
    reader.take_matrix_words();
  } else if (reader.row->op != Op::Unsupported && reader.row->op != Op::Nop) {
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

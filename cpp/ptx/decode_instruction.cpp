// The matching of an instruction's operands to its opcode's signature.
#include "base/text.h"
#include "ptx/body_decoder.h"
#include "ptx/decode.h"

namespace minitorch::ptx {

using Kind = syntax::Operand::Kind;

void BodyDecoder::take(const syntax::Instruction& source) {
  if (source.opcode == "ret" || source.opcode == "ret.uni") store_register_returns();
  Instruction made;
  made.opcode = opcode_of(source);
  current_ = &made;
  foreign_operand_ = false;
  made.ptx_line = source.place.line;
  made.position = position_;
  if (!source.guard.empty()) {
    syntax::Operand guard;
    guard.place = source.place;
    guard.name = source.guard;
    made.guard = decode_value(guard, Type::Pred, false, true).index;
    made.guard_negated = source.guard_negated;
  }
  if (made.opcode.op == Op::Call) return decode_call(source, std::move(made));
  if (made.opcode.op == Op::IndexCheck && !shared_.index_checks)
    fail(source.place, "got 'minitorch.index'; need an instruction of PTX.");
  if (made.opcode.op != Op::Unsupported && made.opcode.op != Op::Nop)
    decode_operands(source, made);
  if (made.opcode.op == Op::IndexCheck) complete_index_check(source, made);
  if (foreign_operand_) {
    made.opcode.op = Op::Unsupported;
    made.destinations.clear();
    made.sources.clear();
  }
  function_.instructions.push_back(std::move(made));
}

void BodyDecoder::complete_index_check(const syntax::Instruction& source,
                                       Instruction& made) {
  if (made.sources.size() < kIndexSources) {
    made.sources.push_back(made.sources[kIndexDimension]);
    made.sources.back().bits = 0;
    made.sources.back().type = Type::U64;
  }
  bool plain = made.guard == kNone;
  for (const IndexSource number :
       {kIndexAccess, kIndexDimension, kIndexSpace, kIndexKind})
    plain &= made.sources[number].kind == Operand::Kind::Immediate;
  // MtSpace_Const and MtAccess_Atomic are the last that a translator names.
  plain &= made.sources[kIndexSpace].bits <= 4 && made.sources[kIndexKind].bits <= 3;
  if (!plain)
    fail(source.place,
         "got a check of an index with a guard, or whose first operands vary or mean "
         "nothing; need four numbers, without a guard.");
}

const Opcode& BodyDecoder::opcode_of(const syntax::Instruction& source) {
  const auto known = shared_.opcodes.find(source.opcode);
  if (known != shared_.opcodes.end()) return known->second;
  return shared_.opcodes
      .emplace(source.opcode, parse_opcode(source.opcode, source.place))
      .first->second;
}

void BodyDecoder::decode_operands(const syntax::Instruction& source,
                                  Instruction& made) {
  if (made.opcode.op == Op::Bra || made.opcode.op == Op::BrxIdx)
    return decode_branch(source, made);
  if (made.opcode.op == Op::Mov) choose_pack(source, made);
  decode_by_signature(source, made);
}

void BodyDecoder::decode_branch(const syntax::Instruction& source, Instruction& made) {
  const bool table = made.opcode.op == Op::BrxIdx;
  const size_t count = table ? 2 : 1;
  if (source.operands.size() != count || source.operands.back().kind != Kind::Name)
    fail(source.place, base::text("got ", source.opcode, " with ",
                                  source.operands.size(), " operands; need ",
                                  table ? "an index and a list" : "one label", "."));
  if (table)
    made.sources.push_back(decode_value(source.operands[0], Type::U32, false, false));
  label_uses_.push_back({static_cast<uint32_t>(function_.instructions.size()), scope_,
                         source.place, source.operands.back().name, table});
}

// mov with a vector on one side: Opcode::vector says how many parts.
void BodyDecoder::choose_pack(const syntax::Instruction& source, Instruction& made) {
  for (size_t i = 0; i < source.operands.size() && i < 2; ++i) {
    if (source.operands[i].kind != Kind::Vector) continue;
    const size_t parts = source.operands[i].elements.size();
    if ((parts != 2 && parts != 4) || size_of(made.opcode.type) < parts)
      fail(source.place, base::text("got a vector of ", parts, " for ", source.opcode,
                                    "; need 2 or 4 parts of at least a byte."));
    made.opcode.op = i == 0 ? Op::Unpack : Op::Pack;
    made.opcode.vector = static_cast<uint8_t>(parts);
    return;
  }
}

namespace {

struct Slot {
  char letter;
  bool optional;
};

// The signature's slots before or after '='.
std::vector<Slot> slots_of(std::string_view side) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < side.size(); ++i) {
    const bool optional = side[i] == '?';
    if (optional) ++i;
    slots.push_back({side[i], optional});
  }
  return slots;
}

}  // namespace

// The cache policy of .L2::cache_hint, the last operand, changes no result: how many
// operands it takes.
size_t BodyDecoder::take_policy(const syntax::Instruction& source,
                                const Opcode& opcode) {
  if (!opcode.policy || source.operands.empty()) return 0;
  decode_value(source.operands.back(), Type::B64, false, false);
  return 1;
}

void BodyDecoder::decode_by_signature(const syntax::Instruction& source,
                                      Instruction& made) {
  const std::string_view signature = row_of(made.opcode.op).signature;
  const size_t equals = signature.find('=');
  const std::vector<Slot> left = slots_of(signature.substr(0, equals));
  const std::vector<Slot> right = slots_of(signature.substr(equals + 1));

  size_t required = left.empty() ? 0 : 1, optional = 0;
  for (const Slot& slot : right) ++(slot.optional ? optional : required);
  const size_t given = source.operands.size() - take_policy(source, made.opcode);
  const Op op = made.opcode.op;
  if ((op == Op::Min || op == Op::Max) && made.opcode.type == Type::F32 && given == 4) {
    foreign_operand_ = true;  // of three numbers: later architectures only
    return;
  }
  if (given < required || given > required + optional)
    fail(
        source.place,
        base::text("got ", source.opcode, " with ", given, " operands; need ", required,
                   optional ? base::text(" to ", required + optional) : "", "."));
  size_t next = 0;
  if (!left.empty()) {
    const syntax::Operand& first = source.operands[next++];
    const bool pair = first.kind == Kind::Pair;
    if (pair && left.size() < 2)
      fail(first.place,
           base::text("got two results for ", source.opcode, "; need one."));
    decode_slot(left[0].letter, true, pair ? first.elements[0] : first, made);
    if (pair) decode_slot(left[1].letter, true, first.elements[1], made);
  }
  size_t spare = given - required;
  for (const Slot& slot : right) {
    if (slot.optional && spare == 0) continue;
    if (slot.optional) --spare;
    decode_slot(slot.letter, false, source.operands[next++], made);
  }
}

bool BodyDecoder::names_predicate(const syntax::Operand& operand) {
  if (operand.kind != Kind::Name) return false;
  const Symbol* symbol = symbols_.find(operand.name);
  return symbol != nullptr && symbol->kind == Symbol::Kind::Register &&
         symbol->type == Type::Pred;
}

void BodyDecoder::decode_slot(char letter, bool destination,
                              const syntax::Operand& operand, Instruction& made) {
  if (letter == 'A') return decode_address(operand, made);
  if (letter == 'v') return decode_vector(operand, destination, made);
  if (letter >= '1' && letter <= '4')
    return decode_fragment(static_cast<Fragment>(letter - '0'), destination, operand,
                           made);
  if (letter == 'i') letter = names_predicate(operand) ? 'p' : 'u';
  // Conversions may read and write wider registers than the type.
  const bool wider = made.opcode.op == Op::Cvt;
  const Operand value =
      decode_value(operand, slot_type(letter, made.opcode), wider, destination);
  (destination ? made.destinations : made.sources).push_back(value);
}

}  // namespace minitorch::ptx

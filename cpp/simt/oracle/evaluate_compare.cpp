// Comparisons of the scalar oracle: setp, set, slct.
#include "simt/oracle/evaluate.h"
#include "simt/oracle/number.h"

namespace minitorch::simt::scalar {
namespace {

using ptx::Combine;
using ptx::Comparison;
using ptx::Op;
using ptx::Opcode;
using ptx::Type;

/// What a comparison says of operands that are in `order` (-1, 0, 1).
bool holds(Comparison comparison, int order) {
  switch (comparison) {
    case Comparison::Eq:
    case Comparison::Equ:
      return order == 0;
    case Comparison::Ne:
    case Comparison::Neu:
      return order != 0;
    case Comparison::Lt:
    case Comparison::Lo:
    case Comparison::Ltu:
      return order < 0;
    case Comparison::Le:
    case Comparison::Ls:
    case Comparison::Leu:
      return order <= 0;
    case Comparison::Gt:
    case Comparison::Hi:
    case Comparison::Gtu:
      return order > 0;
    case Comparison::Ge:
    case Comparison::Hs:
    case Comparison::Geu:
      return order >= 0;
    case Comparison::Num:
      return true;
    default:
      return false;  // nan
  }
}

/// And of operands of which one is NaN.
bool holds_unordered(Comparison comparison) {
  switch (comparison) {
    case Comparison::Equ:
    case Comparison::Neu:
    case Comparison::Ltu:
    case Comparison::Leu:
    case Comparison::Gtu:
    case Comparison::Geu:
    case Comparison::Nan:
      return true;
    default:
      return false;
  }
}

bool compare_one(const Opcode& opcode, Type type, uint64_t a, uint64_t b) {
  if (!ptx::is_float(type)) {
    const __int128 x = read_integer(type, a), y = read_integer(type, b);
    return holds(opcode.comparison, x < y ? -1 : x > y);
  }
  const Format format = format_of(type);
  const uint64_t ones = ~uint64_t{0} >> (64 - format.width);
  const auto number = [&](uint64_t bits) {
    return decode(format, opcode.ftz ? flush(type, bits & ones) : bits & ones);
  };
  const Number x = number(a), y = number(b);
  if (x.is_nan() || y.is_nan()) return holds_unordered(opcode.comparison);
  return holds(opcode.comparison, compare(x, y));
}

bool combine(const Opcode& opcode, bool compared, bool with) {
  switch (opcode.combine) {
    case Combine::And:
      return compared && with;
    case Combine::Or:
      return compared || with;
    case Combine::Xor:
      return compared != with;
    default:
      return compared;
  }
}

uint64_t true_value(Type type) {
  switch (type) {
    case Type::F32:
      return 0x3f800000;
    case Type::F16:
      return 0x3c00;
    case Type::BF16:
      return 0x3f80;
    default:
      return ~uint64_t{0} >> (64 - width_of(type));
  }
}

Results set(const Opcode& opcode, const Operands& operands, bool low, bool high) {
  const bool with = operands[2] & 1;
  const Type element = element_of(opcode.type);
  if (element_of(opcode.source_type) == Type::None) {
    return result(combine(opcode, low, with) ? true_value(opcode.type) : 0);
  }
  const uint64_t one = element == Type::None ? 0xffff : true_value(element);
  return result((combine(opcode, low, with) ? one : 0) |
                (combine(opcode, high, with) ? one << 16 : 0));
}

Results select_by_sign(const Opcode& opcode, const Operands& operands) {
  bool first = read_integer(Type::S32, operands[2]) >= 0;
  if (opcode.source_type == Type::F32) {
    Opcode test;
    test.ftz = opcode.ftz;
    test.comparison = Comparison::Ge;
    first = compare_one(test, Type::F32, operands[2], 0);
  }
  return result(first ? operands[0] : operands[1]);
}

}  // namespace

Results evaluate_compare(const Opcode& opcode, const Operands& operands) {
  if (opcode.op == Op::Slct) return select_by_sign(opcode, operands);
  if (opcode.op != Op::Set && opcode.op != Op::Setp) return unsupported_form();
  const Type type = opcode.op == Op::Set ? opcode.source_type : opcode.type;
  const Type element = element_of(type);
  const bool packed = element != Type::None;
  const uint64_t a = operands[0], b = operands[1];
  const bool low = compare_one(opcode, packed ? element : type, a, b);
  const bool high = packed && compare_one(opcode, element, a >> 16, b >> 16);
  if (opcode.op == Op::Set) return set(opcode, operands, low, high);
  const bool with = operands[2] & 1;
  Results results;
  results.of[0] = combine(opcode, low, with);
  results.of[1] = combine(opcode, packed ? high : !low, with);
  return results;
}

}  // namespace minitorch::simt::scalar

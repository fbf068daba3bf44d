// Integer arithmetic and carry chains of the scalar oracle, in 128 bits.
#include "simt/oracle/evaluate.h"

namespace minitorch::simt::scalar {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Part;
using Signed = __int128;

uint64_t low(Signed value) { return static_cast<uint64_t>(value); }

uint64_t mask(int width) { return ~uint64_t{0} >> (64 - width); }

/// The product's bits from `width` up (hi), or all of it; wraps in 128 bits.
Signed product(const Opcode& opcode, Signed a, Signed b) {
  const auto whole =
      static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
  if (opcode.part != Part::High) return static_cast<Signed>(whole);
  const auto high = whole >> width_of(opcode.type);
  return read_integer(opcode.type, static_cast<uint64_t>(high));
}

Signed product24(const Opcode& opcode, uint64_t a, uint64_t b) {
  const bool is_signed = ptx::is_signed(opcode.type);
  const auto low24 = [&](uint64_t bits) {
    const Signed value = bits & 0xffffff;
    return is_signed && value >> 23 ? value - (1 << 24) : value;
  };
  return low24(a) * low24(b) >> (opcode.part == Part::High ? 16 : 0);
}

Signed relu(const Opcode& opcode, Signed value) {
  return opcode.relu && value < 0 ? 0 : value;
}

Signed saturate32(Signed value) {
  if (value > INT32_MAX) return INT32_MAX;
  return value < INT32_MIN ? INT32_MIN : value;
}

/// The unbounded result of a link of a carry chain, operands taken as unsigned.
Signed chain(const Opcode& opcode, const Operands& operands) {
  const uint64_t ones = mask(width_of(opcode.type));
  const Signed a = operands[0] & ones, b = operands[1] & ones, c = operands[2] & ones;
  const int flag = opcode.carry_in && operands.carry;
  if (opcode.op == Op::Add) return a + b + flag;
  if (opcode.op == Op::Sub) return a - b - flag;
  const Signed x = read_integer(opcode.type, operands[0]);
  const Signed y = read_integer(opcode.type, operands[1]);
  return static_cast<Signed>(low(product(opcode, x, y)) & ones) + c + flag;
}

Results evaluate_chain(const Opcode& opcode, const Operands& operands) {
  const Signed value = chain(opcode, operands);
  Results results = result(low(value));
  results.carry = value < 0 || value >> width_of(opcode.type) != 0;
  return results;
}

Results divide(const Opcode& opcode, Signed a, Signed b) {
  Results results;
  results.divided_by_zero = b == 0;
  if (opcode.op == Op::Div) {
    results.of[0] = b == 0 ? ~uint64_t{0} : low(a / b);
  } else {
    results.of[0] = b == 0 ? low(a) : low(a % b);
  }
  return results;
}

Results multiply_add(const Opcode& opcode, const Operands& operands, Signed a,
                     Signed b) {
  const bool adds = opcode.op == Op::Mad || opcode.op == Op::Mad24;
  const bool is24 = opcode.op == Op::Mul24 || opcode.op == Op::Mad24;
  const Signed value =
      is24 ? product24(opcode, operands[0], operands[1]) : product(opcode, a, b);
  if (!adds) return result(low(value));
  if (!opcode.sat) return result(low(value) + operands[2]);
  return result(low(saturate32(value + read_integer(opcode.type, operands[2]))));
}

}  // namespace

Results evaluate_integer(const Opcode& opcode, const Operands& operands) {
  if (opcode.type == ptx::Type::None || opcode.type == ptx::Type::Pred) {
    return unsupported_form();
  }
  const Signed a = read_integer(opcode.type, operands[0]);
  const Signed b = read_integer(opcode.type, operands[1]);
  if (opcode.carry_in || opcode.carry_out) return evaluate_chain(opcode, operands);
  switch (opcode.op) {
    case Op::Add:
      return result(low(opcode.sat ? saturate32(a + b) : a + b));
    case Op::Sub:
      return result(low(opcode.sat ? saturate32(a - b) : a - b));
    case Op::Mul:
    case Op::Mad:
    case Op::Mul24:
    case Op::Mad24:
      return multiply_add(opcode, operands, a, b);
    case Op::Div:
    case Op::Rem:
      return divide(opcode, a, b);
    case Op::Neg:
      return result(low(-a));
    case Op::Abs:
      return result(low(a < 0 ? -a : a));
    case Op::Min:
      return result(low(relu(opcode, a < b ? a : b)));
    case Op::Max:
      return result(low(relu(opcode, a > b ? a : b)));
    case Op::Sad:
      return result(low(a < b ? b - a : a - b) + operands[2]);
    default:
      return unsupported_form();
  }
}

}  // namespace minitorch::simt::scalar

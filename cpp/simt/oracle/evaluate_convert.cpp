// Cvt of the scalar oracle.
#include "simt/oracle/evaluate.h"
#include "simt/oracle/number.h"

namespace minitorch::simt::scalar {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

bool is_integral(Rounding rounding) { return rounding >= Rounding::NearestInt; }

__int128 clamp(Type type, __int128 value) {
  const int width = width_of(type) - (ptx::is_signed(type) ? 1 : 0);
  const __int128 high = (static_cast<__int128>(1) << width) - 1;
  const __int128 low = ptx::is_signed(type) ? -high - 1 : 0;
  return value > high ? high : value < low ? low : value;
}

/// The low bits of an integer as a register holds them: signed types extend.
uint64_t as_register(Type type, __int128 value) {
  return static_cast<uint64_t>(read_integer(type, static_cast<uint64_t>(value)));
}

uint64_t float_to_integer(const Opcode& opcode, const Number& number) {
  const Type to = opcode.type, from = opcode.source_type;
  if (number.is_nan()) {
    const bool wide = from == Type::F64 || width_of(to) == 64;
    return wide ? as_register(to, static_cast<__int128>(1) << (width_of(to) - 1)) : 0;
  }
  const __int128 far = static_cast<__int128>(1) << 100;
  __int128 value = far;
  if (number.kind == Number::Kind::Finite) {
    const Number whole = to_integral(number, opcode.rounding);
    if (whole.exponent <= 70) {  // a significand has at most 53 bits
      value = static_cast<__int128>(whole.significand << whole.exponent);
    }
  }
  return as_register(to, clamp(to, number.negative ? -value : value));
}

uint64_t limit(const Opcode& opcode, Type type, uint64_t bits) {
  const Number value = decode(format_of(type), bits);
  const Number one = integer(false, 1);
  if (opcode.sat) {
    if (value.is_nan() || value.negative) return 0;
    if (compare(value, one) > 0) return encode(format_of(type), one, Rounding::Zero);
  }
  return opcode.relu && !value.is_nan() && value.negative ? 0 : bits;
}

uint64_t to_float(const Opcode& opcode, Type type, const Number& number) {
  uint64_t bits =
      encode(format_of(type), number,
             is_integral(opcode.rounding) ? Rounding::Nearest : opcode.rounding);
  if (opcode.ftz && type == Type::F32) bits = flush(type, bits);
  return limit(opcode, type, bits);
}

Number read_float(const Opcode& opcode, uint64_t bits) {
  const Type from = opcode.source_type;
  bits &= ~uint64_t{0} >> (64 - width_of(from));
  if (opcode.ftz && from == Type::F32) bits = flush(from, bits);
  return decode(format_of(from), bits);
}

}  // namespace

namespace {

// The f32 that has only the bits of a tf32.
uint64_t to_tf32(const Opcode& opcode, const Number& number) {
  if (number.is_nan()) return 0x7fffffff;
  if (opcode.relu && number.negative) return 0;
  return encode({19, 10}, number, opcode.rounding) << 13;
}

// a above b above whatever c has.
uint64_t pack_saturated(const Opcode& opcode, const Operands& operands) {
  const Type to = opcode.type;
  const int width = to == Type::U4 || to == Type::S4 ? 4 : width_of(to);
  const __int128 high = (static_cast<__int128>(1) << (width - ptx::is_signed(to))) - 1;
  const __int128 low = ptx::is_signed(to) ? -high - 1 : 0;
  uint64_t value = width == 16 ? 0 : operands[2];
  for (int i : {0, 1}) {
    const __int128 number = read_integer(opcode.source_type, operands[i]);
    const __int128 kept = number < low ? low : number > high ? high : number;
    value = value << width | (static_cast<uint64_t>(kept) & ((1u << width) - 1));
  }
  return value & 0xffffffff;
}

}  // namespace

Results evaluate_convert(const Opcode& opcode, const Operands& operands) {
  const Type to = opcode.type, from = opcode.source_type;
  if (opcode.op != Op::Cvt && opcode.op != Op::CvtPack) return unsupported_form();
  if (opcode.op == Op::CvtPack) return result(pack_saturated(opcode, operands));
  if (to == Type::TF32) {
    return result(to_tf32(opcode, read_float(opcode, operands[0])));
  }
  const Type element = element_of(to);
  if (element != Type::None) {
    const uint64_t high = to_float(opcode, element, read_float(opcode, operands[0]));
    const uint64_t low = to_float(opcode, element, read_float(opcode, operands[1]));
    return result(high << 16 | low);
  }
  if (!ptx::is_float(from)) {
    const __int128 value = read_integer(from, operands[0]);
    if (!ptx::is_float(to)) {
      return result(as_register(to, opcode.sat ? clamp(to, value) : value));
    }
    const bool negative = value < 0;
    return result(
        to_float(opcode, to,
                 integer(negative, static_cast<uint64_t>(negative ? -value : value))));
  }
  const Number number = read_float(opcode, operands[0]);
  if (!ptx::is_float(to)) return result(float_to_integer(opcode, number));
  const bool integral = is_integral(opcode.rounding);
  return result(
      to_float(opcode, to, integral ? to_integral(number, opcode.rounding) : number));
}

}  // namespace minitorch::simt::scalar

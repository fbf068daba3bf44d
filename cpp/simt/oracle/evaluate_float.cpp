// Float arithmetic of the scalar oracle: exact numbers rounded once; approximate
// functions through the C library.
#include <bit>
#include <cmath>

#include "simt/oracle/evaluate.h"
#include "simt/oracle/number.h"

namespace minitorch::simt::scalar {
namespace {

using ptx::FloatClass;
using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

/// .sat and .relu on a rounded result.
uint64_t limit(const Opcode& opcode, uint64_t bits) {
  const Number value = decode(format_of(opcode.type), bits);
  const Number one = integer(false, 1);
  if (opcode.sat) {
    if (value.is_nan() || value.negative) return 0;
    if (compare(value, one) > 0)
      return encode(format_of(opcode.type), one, Rounding::Zero);
  }
  return opcode.relu && !value.is_nan() && value.negative ? 0 : bits;
}

Results finish(const Opcode& opcode, const Number& value) {
  uint64_t bits = encode(format_of(opcode.type), value, opcode.rounding);
  if (opcode.ftz) bits = flush(opcode.type, bits);
  return result(limit(opcode, bits));
}

double to_double(const Number& value) {
  return std::bit_cast<double>(encode(format_of(Type::F64), value, Rounding::Nearest));
}

Number from_double(double value) {
  return decode(format_of(Type::F64), std::bit_cast<uint64_t>(value));
}

double approximate_quotient(const Opcode& opcode, double a, double b) {
  const bool huge = std::fabs(b) > 0x1p126 && std::fabs(b) < 0x1p128;
  if (!opcode.full && huge) return a * std::copysign(0.0, b);
  return a / b;
}

Results approximate(const Opcode& opcode, const Number& a, const Number& b) {
  const double x = to_double(a);
  double value = 0;
  switch (opcode.op) {
    case Op::Div:
      value = approximate_quotient(opcode, x, to_double(b));
      break;
    case Op::Rcp:
      value = 1.0 / x;
      break;
    case Op::Sqrt:
      value = std::sqrt(x);
      break;
    case Op::Rsqrt:
      value = 1.0 / std::sqrt(x);
      break;
    case Op::Sin:
      value = std::sin(x);
      break;
    case Op::Cos:
      value = std::cos(x);
      break;
    case Op::Lg2:
      value = std::log2(x);
      break;
    case Op::Ex2:
      value = std::exp2(x);
      break;
    case Op::Tanh:
      value = std::tanh(x);
      break;
    default:
      return unsupported_form();
  }
  Results results = finish(opcode, from_double(value));
  // f64 forms with .ftz give the upper half of the result only.
  if (opcode.type == Type::F64 && opcode.ftz) results.of[0] &= ~uint64_t{0xffffffff};
  return results;
}

// .xorsign.abs: of the magnitudes, with the sign of the product.
Results extreme(Opcode opcode, uint64_t a, uint64_t b) {
  const Format format = format_of(opcode.type);
  if (opcode.xor_sign) {
    const uint64_t top = uint64_t{1} << (format.width - 1), sign = (a ^ b) & top;
    opcode.xor_sign = false;
    Results results = extreme(opcode, a & ~top, b & ~top);
    if (!decode(format, results.of[0]).is_nan()) results.of[0] |= sign;
    return results;
  }
  const Number x = decode(format, a), y = decode(format, b);
  if (x.is_nan() || y.is_nan()) {
    if (opcode.nan || (x.is_nan() && y.is_nan())) return finish(opcode, Number{});
    return result(limit(opcode, x.is_nan() ? b : a));
  }
  const int order = compare(x, y);
  const bool first_is_less = order < 0 || (order == 0 && x.negative);
  return result(limit(opcode, first_is_less == (opcode.op == Op::Min) ? a : b));
}

bool has_class(const Opcode& opcode, uint64_t bits) {
  const Number value = decode(format_of(opcode.type), bits);
  const bool is_finite = value.kind == Number::Kind::Finite;
  const bool subnormal =
      is_finite && !value.is_zero() &&
      decode(format_of(opcode.type), flush(opcode.type, bits)).is_zero();
  switch (opcode.float_class) {
    case FloatClass::Finite:
      return is_finite;
    case FloatClass::Infinite:
      return value.kind == Number::Kind::Infinite;
    case FloatClass::Number:
      return !value.is_nan();
    case FloatClass::NotANumber:
      return value.is_nan();
    case FloatClass::Normal:
      return is_finite && !value.is_zero() && !subnormal;
    default:
      return subnormal;
  }
}

}  // namespace

Results evaluate_float(const Opcode& opcode, const Operands& operands) {
  const Format format = format_of(opcode.type);
  const uint64_t ones = ~uint64_t{0} >> (64 - format.width);
  const uint64_t sign = uint64_t{1} << (format.width - 1);
  uint64_t bits[3] = {};
  Number of[3];
  for (int i = 0; i < 3; ++i) {
    bits[i] = operands[i] & ones;
    if (opcode.ftz) bits[i] = flush(opcode.type, bits[i]);
    of[i] = decode(format, bits[i]);
  }
  if (opcode.approx || opcode.full) return approximate(opcode, of[0], of[1]);
  const Rounding rounding = opcode.rounding;
  switch (opcode.op) {
    case Op::Add:
      return finish(opcode, add(of[0], of[1], rounding));
    case Op::Sub:
      return finish(opcode, add(of[0], negate(of[1]), rounding));
    case Op::Mul:
      return finish(opcode, multiply(of[0], of[1]));
    case Op::Mad:
    case Op::Fma:
      return finish(opcode, add(multiply(of[0], of[1]), of[2], rounding));
    case Op::Div:
      return finish(opcode, divide(of[0], of[1]));
    case Op::Rcp:
      return finish(opcode, divide(integer(false, 1), of[0]));
    case Op::Sqrt:
      return finish(opcode, square_root(of[0]));
    case Op::Neg:
      return result(bits[0] ^ sign);
    case Op::Abs:
      return result(bits[0] & ~sign);
    case Op::Min:
    case Op::Max:
      return extreme(opcode, bits[0], bits[1]);
    case Op::Copysign:
      return result((bits[0] & sign) | (bits[1] & ~sign));
    case Op::Testp:
      return result(has_class(opcode, bits[0]));
    default:
      return unsupported_form();
  }
}

}  // namespace minitorch::simt::scalar

#include "simt/oracle/number.h"

namespace minitorch::simt::scalar {
namespace {

using ptx::Rounding;
using Wide = unsigned __int128;

int bit_length(Wide value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

int bias(Format format) { return (1 << (format.width - 2 - format.fraction)) - 1; }

uint64_t infinity_bits(Format format) {
  return ((uint64_t{1} << (format.width - 1 - format.fraction)) - 1) << format.fraction;
}

Number nan() { return {}; }
Number infinite(bool negative) {
  return {Number::Kind::Infinite, negative, 0, 0, false};
}
Number zero(bool negative) { return {Number::Kind::Finite, negative, 0, 0, false}; }

/// Drops the lowest `count` bits; whether something was lost goes into `lost`, and
/// whether the lost part is at least half of the last bit kept into `half`.
Wide shift_right(Wide value, int count, bool& half, bool& lost) {
  if (count > 127) {
    lost |= value != 0;
    half = false;
    return 0;
  }
  half = count > 0 && (value >> (count - 1) & 1);
  lost |= count > 1 && (value & ((Wide{1} << (count - 1)) - 1)) != 0;
  return value >> count;
}

bool rounds_up(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::Zero:
    case Rounding::ZeroInt:
      return false;
    case Rounding::Down:
    case Rounding::DownInt:
      return negative && (half || rest);
    case Rounding::Up:
    case Rounding::UpInt:
      return !negative && (half || rest);
    case Rounding::NearestAway:
      return half;
    default:
      return half && (rest || odd);
  }
}

/// The same value with its highest bit at `top`.
Number aligned(Number a, int top) {
  const int by = top + 1 - bit_length(a.significand);
  a.significand <<= by;
  a.exponent -= by;
  return a;
}

}  // namespace

Format format_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::F16:
      return {16, 10};
    case ptx::Type::BF16:
      return {16, 7};
    case ptx::Type::F32:
      return {32, 23};
    default:
      return {64, 52};
  }
}

Number decode(Format format, uint64_t bits) {
  const bool negative = bits >> (format.width - 1) & 1;
  const uint64_t magnitude = bits & ((uint64_t{1} << (format.width - 1)) - 1);
  if (magnitude > infinity_bits(format)) return nan();
  if (magnitude == infinity_bits(format)) return infinite(negative);
  uint64_t fraction = magnitude & ((uint64_t{1} << format.fraction) - 1);
  int exponent = static_cast<int>(magnitude >> format.fraction);
  if (exponent == 0) {
    exponent = 1;
  } else {
    fraction |= uint64_t{1} << format.fraction;
  }
  return {Number::Kind::Finite, negative, fraction,
          exponent - bias(format) - format.fraction, false};
}

uint64_t encode(Format format, const Number& number, Rounding rounding) {
  const uint64_t sign = number.negative ? uint64_t{1} << (format.width - 1) : 0;
  if (number.is_nan()) {
    // f64: the hardware's NaN; else all ones but the sign.
    return format.width == 64 ? uint64_t{0xfff8} << 48
                              : (uint64_t{1} << (format.width - 1)) - 1;
  }
  if (number.kind == Number::Kind::Infinite) return sign | infinity_bits(format);
  if (number.is_zero()) return sign;
  const int least = 1 - bias(format) - format.fraction;
  const int top = number.exponent + bit_length(number.significand) - 1;
  const int last = top - format.fraction > least ? top - format.fraction : least;
  const int shift = last - number.exponent;
  bool half = false, rest = number.sticky;
  Wide kept = shift > 0 ? shift_right(number.significand, shift, half, rest)
                        : number.significand << -shift;
  if (rounds_up(rounding, number.negative, kept & 1, half, rest)) ++kept;
  // The leading bit of a normal number adds one to the exponent field.
  const uint64_t magnitude = static_cast<uint64_t>(kept) +
                             (static_cast<uint64_t>(last - least) << format.fraction);
  if (magnitude < infinity_bits(format)) return sign | magnitude;
  const bool away = rounds_up(rounding, number.negative, true, true, true);
  return sign | (infinity_bits(format) - (away ? 0 : 1));
}

Number integer(bool negative, uint64_t magnitude) {
  return {Number::Kind::Finite, negative && magnitude != 0, magnitude, 0, false};
}

Number negate(Number a) {
  a.negative = !a.negative;
  return a;
}

Number add(const Number& a, const Number& b, Rounding rounding) {
  if (a.is_nan() || b.is_nan()) return nan();
  if (a.kind == Number::Kind::Infinite || b.kind == Number::Kind::Infinite) {
    if (a.kind == b.kind && a.negative != b.negative) return nan();
    return a.kind == Number::Kind::Infinite ? a : b;
  }
  if (a.is_zero() && b.is_zero()) {
    return zero(a.negative == b.negative ? a.negative : rounding == Rounding::Down);
  }
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  // The larger one with its highest bit at 125; what the smaller one then loses on the
  // right lies far below the last bit of any result.
  const bool swap =
      compare({Number::Kind::Finite, false, a.significand, a.exponent, false},
              {Number::Kind::Finite, false, b.significand, b.exponent, false}) < 0;
  const Number large = aligned(swap ? b : a, 125);
  const Number& small = swap ? a : b;
  const int by = large.exponent - small.exponent;
  bool half = false, rest = false;
  const Wide other = by > 0 ? shift_right(small.significand, by, half, rest)
                            : small.significand << -by;
  const bool lost = half || rest;
  Number sum = large;
  sum.sticky = lost;
  if (large.negative == small.negative) {
    sum.significand += other;
  } else {
    sum.significand -= other + (lost ? 1 : 0);
    if (sum.is_zero()) return zero(rounding == Rounding::Down);
  }
  return sum;
}

Number multiply(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan()) return nan();
  if (a.kind == Number::Kind::Infinite || b.kind == Number::Kind::Infinite) {
    return a.is_zero() || b.is_zero() ? nan() : infinite(negative);
  }
  return {Number::Kind::Finite, negative, a.significand * b.significand,
          a.exponent + b.exponent, false};
}

Number divide(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  const bool a_infinite = a.kind == Number::Kind::Infinite;
  const bool b_infinite = b.kind == Number::Kind::Infinite;
  if (a.is_nan() || b.is_nan() || (a_infinite && b_infinite) ||
      (a.is_zero() && b.is_zero())) {
    return nan();
  }
  if (a_infinite || b.is_zero()) return infinite(negative);
  if (b_infinite || a.is_zero()) return zero(negative);
  const Number dividend = aligned(a, 126);
  return {Number::Kind::Finite, negative, dividend.significand / b.significand,
          dividend.exponent - b.exponent, dividend.significand % b.significand != 0};
}

Number square_root(const Number& a) {
  if (a.is_nan() || a.is_zero()) return a;
  if (a.negative) return nan();
  if (a.kind == Number::Kind::Infinite) return a;
  Number square = aligned(a, 125);
  if (square.exponent % 2 != 0) {
    square.significand >>= 1;  // its lowest bit is 0
    square.exponent += 1;
  }
  Wide root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Wide trial = root | Wide{1} << bit;
    if (trial * trial <= square.significand) root = trial;
  }
  return {Number::Kind::Finite, false, root, square.exponent / 2,
          root * root != square.significand};
}

Number to_integral(const Number& a, Rounding rounding) {
  if (a.kind != Number::Kind::Finite || a.exponent >= 0) return a;
  bool half = false, rest = false;
  Wide kept = shift_right(a.significand, -a.exponent, half, rest);
  if (rounds_up(rounding, a.negative, kept & 1, half, rest)) ++kept;
  return {Number::Kind::Finite, a.negative, kept, 0, false};
}

int compare(const Number& a, const Number& b) {
  const auto sign = [](const Number& n) {
    return n.is_zero() ? 0 : n.negative ? -1 : 1;
  };
  if (sign(a) != sign(b)) return sign(a) < sign(b) ? -1 : 1;
  if (sign(a) == 0) return 0;
  const auto magnitude = [](const Number& x, const Number& y) {
    const bool x_infinite = x.kind == Number::Kind::Infinite;
    const bool y_infinite = y.kind == Number::Kind::Infinite;
    if (x_infinite || y_infinite) return int{x_infinite} - int{y_infinite};
    const Number p = aligned(x, 126), q = aligned(y, 126);
    if (p.exponent != q.exponent) return p.exponent < q.exponent ? -1 : 1;
    if (p.significand == q.significand) return 0;
    return p.significand < q.significand ? -1 : 1;
  };
  return a.negative ? magnitude(b, a) : magnitude(a, b);
}

}  // namespace minitorch::simt::scalar

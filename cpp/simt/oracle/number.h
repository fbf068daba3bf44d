// Exact binary floating point in integers, for the scalar oracle: values are decoded,
// combined exactly and rounded once. Independent of the host's floats.
#pragma once

#include <cstdint>

#include "ptx/opcode.h"

namespace minitorch::simt::scalar {

/// Bits in total and of the fraction.
struct Format {
  int width, fraction;
};
Format format_of(ptx::Type type);

/// +-(significand, plus a little if `sticky`) * 2^exponent, an infinity or a NaN.
struct Number {
  enum class Kind : uint8_t { Nan, Infinite, Finite };
  Kind kind = Kind::Nan;
  bool negative = false;
  unsigned __int128 significand = 0;
  int exponent = 0;
  bool sticky = false;

  bool is_nan() const { return kind == Kind::Nan; }
  bool is_zero() const { return kind == Kind::Finite && significand == 0 && !sticky; }
};

Number decode(Format format, uint64_t bits);
/// Rounded once; NaN gives the NaN that results carry.
uint64_t encode(Format format, const Number& number, ptx::Rounding rounding);

Number integer(bool negative, uint64_t magnitude);
Number negate(Number a);
Number add(const Number& a, const Number& b, ptx::Rounding rounding);
Number multiply(const Number& a, const Number& b);
Number divide(const Number& a, const Number& b);
Number square_root(const Number& a);

/// To an integral value, by rni, rzi, rmi or rpi.
Number to_integral(const Number& a, ptx::Rounding rounding);
/// -1, 0 or 1; neither may be NaN. -0 equals +0.
int compare(const Number& a, const Number& b);

}  // namespace minitorch::simt::scalar

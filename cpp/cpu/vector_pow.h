// Powers of float as straight-line code, within 0.51 ulp: logarithm, product and
// exponential in double, rounded once. Results are the same on every instruction set,
// in vectors or alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu/vector_math.h"

namespace minitorch::cpu {

/// Has its highest bit set where `pow_normal(a, b)` does not hold: a is 0, infinite or
/// a NaN, or b is infinite or a NaN. Without a comparison, so that those of many
/// numbers can be joined by |.
MINITORCH_INLINED uint32_t pow_is_extreme(float a, float b) {
  constexpr uint32_t kInfinite = 0x7f800000;
  const uint32_t base = std::bit_cast<uint32_t>(a) & 0x7fffffffu;
  const uint32_t exponent = std::bit_cast<uint32_t>(b) & 0x7fffffffu;
  return (base - 1) | (kInfinite - 1 - base) | (kInfinite - 1 - exponent);
}

// |a| ** b, for what is not extreme, in two steps: rows take each in a loop of its own.
MINITORCH_INLINED double log_of_magnitude(float a) {
  return log_straight(static_cast<double>(std::abs(a)));
}
/// e ** y; beyond e ** ±140 float has 0 and infinity.
MINITORCH_INLINED float rounded_exp(double y) {
  const double below = y > 140 ? 140 : y;
  return static_cast<float>(exp_normal(below < -140 ? -140 : below));
}

/// What a sign of `a` makes of it: of an odd power it stays, of a broken one there is
/// no real number.
MINITORCH_INLINED float with_sign_of_base(float a, float b, float power) {
  const float half = b * 0.5f;
  const bool whole = std::rint(b) == b, odd = whole & (std::rint(half) != half);
  const float negative = odd ? -power : power;
  const float of_negative = whole ? negative : std::numeric_limits<float>::quiet_NaN();
  return a < 0 ? of_negative : power;
}

MINITORCH_INLINED float pow_normal(float a, float b) {
  return with_sign_of_base(a, b, rounded_exp(b * log_of_magnitude(a)));
}

MINITORCH_INLINED float pow_straight(float a, float b) {
  return pow_is_extreme(a, b) >> 31 ? std::pow(a, b) : pow_normal(a, b);
}
MINITORCH_INLINED double pow_straight(double a, double b) { return std::pow(a, b); }

}  // namespace minitorch::cpu

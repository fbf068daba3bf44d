// Exp, log, sigmoid and tanh as straight-line code that a compiler can turn into
// vectors: no branch, no call, no table. Errors are at most 1 ulp, of sigmoid 2.5, of
// tanh 4 (1.5 of float); results are the same on every instruction set, in vectors or
// alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu/builds.h"

namespace minitorch::cpu {

/// The constants of one floating type. ln 2 = high + low, where n * high is exact for
/// every exponent n; adding `round` leaves an integer in the low bits of the sum.
/// `series` are those of (log((1 + s) / (1 - s)) - 2s) / s over s² (fdlibm's minimax
/// fit).
template <class T>
struct MathConstants;

template <>
struct MathConstants<double> {
  using Bits = uint64_t;  // unsigned: the bits of a NaN may wrap around
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023, kOne = 0x3ff0000000000000;
  static constexpr Bits kRootHalf = 0x3fe6a09e667f3bcd, kInteger = 0x4330000000000000;
  static constexpr double kRound = 0x1.8p52, kIntegerValue = 0x1p52;
  static constexpr double kHigh = 0x1.62e42fee00000p-1, kLow = 0x1.a39ef35793c76p-33;
  static constexpr double kLargest = 710, kSmallest = -746, kNormal = 707;
};

template <>
struct MathConstants<float> {
  using Bits = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127, kOne = 0x3f800000;
  static constexpr Bits kRootHalf = 0x3f3504f3, kInteger = 0x4b000000;
  static constexpr float kRound = 0x1.8p23f, kIntegerValue = 0x1p23f;
  static constexpr float kHigh = 0.693359375f, kLow = -2.12194440e-4f;
  static constexpr float kLargest = 89, kSmallest = -104, kNormal = 86;
};

/// The Taylor series of (e ** r - 1 - r) / r² for |r| <= ln(2) / 2, to the last bit.
MINITORCH_INLINED double exp_tail(double r) {
  const double r2 = r * r, r4 = r2 * r2;
  const double a = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
  const double b =
      (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
  const double c = (1.0 / 3628800 + r * (1.0 / 39916800)) +
                   r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
  return a + r4 * (b + r4 * c);
}
MINITORCH_INLINED float exp_tail(float r) {
  const float r2 = r * r;
  const float a = (1.0f / 2 + r * (1.0f / 6)) + r2 * (1.0f / 24 + r * (1.0f / 120));
  return a + r2 * r2 * (1.0f / 720 + r * (1.0f / 5040));
}

/// e ** x = series * 2 ** n, where n is the low bits of `shifted`.
template <class T>
struct ExpParts {
  T series, shifted, n;
};

/// The multiple n of ln 2 nearest to x, and the series of the rest.
template <class T>
MINITORCH_INLINED ExpParts<T> exp_parts(T x) {
  using C = MathConstants<T>;
  const T shifted = x * T(0x1.71547652b82fep+0) + C::kRound;
  const T n = shifted - C::kRound;
  const T coarse = x - n * C::kHigh, fine = n * C::kLow;
  const T r = coarse - fine;
  const T lost = (coarse - r) - fine;  // what rounding r cut off
  return {T(1) + (r + (lost + r * r * exp_tail(r))), shifted, n};
}

/// e ** x, with 2 ** n in two factors, so that the extremes neither overflow early nor
/// round twice.
template <class T>
MINITORCH_INLINED T exp_straight(T x) {
  using C = MathConstants<T>;
  using Bits = typename C::Bits;
  T c = x > C::kLargest ? C::kLargest : x;
  c = c < C::kSmallest ? C::kSmallest : c;
  const auto [series, shifted, n] = exp_parts(c);
  const T halved = n * T(0.5) + C::kRound;
  const Bits zero = std::bit_cast<Bits>(C::kRound);
  const Bits first = std::bit_cast<Bits>(halved) - zero;
  const Bits second = std::bit_cast<Bits>(shifted) - zero - first;
  const T scale1 =
      std::bit_cast<T>(static_cast<Bits>((first + C::kBias) << C::kMantissa));
  const T scale2 =
      std::bit_cast<T>(static_cast<Bits>((second + C::kBias) << C::kMantissa));
  return series * scale1 * scale2;
}

/// Has its highest bit set where `exp_normal(x)` does not hold: |x| is too large, or a
/// NaN. Without a comparison, so that those of many numbers can be joined by |.
template <class T>
MINITORCH_INLINED auto exp_is_extreme(T x) {
  using C = MathConstants<T>;
  using Bits = typename C::Bits;
  const Bits magnitude = std::bit_cast<Bits>(x) & (~Bits{0} >> 1);
  return static_cast<Bits>(std::bit_cast<Bits>(C::kNormal) - magnitude);
}

/// The bits of `exp_straight(x)` for less work, where e ** x and its factors are
/// normal numbers: n is added to the exponent of the series.
template <class T>
MINITORCH_INLINED T exp_normal(T x) {
  using C = MathConstants<T>;
  using Bits = typename C::Bits;
  const auto [series, shifted, n] = exp_parts(x);
  const Bits power = std::bit_cast<Bits>(shifted) << C::kMantissa;
  return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(series) + power));
}

/// R(s²) of log(1 + f) = 2s + s R with s = f / (2 + f).
MINITORCH_INLINED double log_series(double z) {
  const double w = z * z;
  const double even = w * (0x1.999999997fa04p-2 +
                           w * (0x1.c71c51d8e78afp-3 + w * 0x1.39a09d078c69fp-3));
  const double odd = z * (0x1.5555555555593p-1 +
                          w * (0x1.2492494229359p-2 +
                               w * (0x1.7466496cb03dep-3 + w * 0x1.2f112df3e5244p-3)));
  return even + odd;
}
MINITORCH_INLINED float log_series(float z) {
  const float w = z * z;
  return w * (0x1.999c26p-2f + w * 0x1.f13c4cp-3f) +
         z * (0x1.555554p-1f + w * 0x1.23d3dcp-2f);
}

/// log(x): x = 2 ** k * (1 + f) with 1 + f between the root of ½ and that of 2.
template <class T>
MINITORCH_INLINED T log_straight(T x) {
  using C = MathConstants<T>;
  using Bits = typename C::Bits;
  using Limits = std::numeric_limits<T>;
  const bool tiny = x < Limits::min();  // subnormal: scaled into the normal range
  constexpr T kScale = T(uint64_t{1} << (C::kMantissa + 2));
  const T scaled = tiny ? x * kScale : x;
  const Bits shifted = std::bit_cast<Bits>(scaled) + (C::kOne - C::kRootHalf);
  const Bits mantissa = shifted & ((Bits{1} << C::kMantissa) - 1);
  const T m = std::bit_cast<T>(static_cast<Bits>(mantissa + C::kRootHalf));
  // A small integer becomes a float by way of its bits, which every vector unit can do.
  const Bits exponent = (shifted >> C::kMantissa) & (2 * C::kBias + 1);
  const T biased = std::bit_cast<T>(static_cast<Bits>(exponent | C::kInteger));
  const T k =
      biased - (C::kIntegerValue + T(C::kBias)) - (tiny ? T(C::kMantissa + 2) : T(0));
  const T f = m - T(1), s = f / (T(2) + f), half = T(0.5) * f * f;
  const T rest = s * (half + log_series(s * s)) + k * C::kLow;
  const T normal = k * C::kHigh - ((half - rest) - f);
  const T edge = x < 0 ? Limits::quiet_NaN() : x == 0 ? -Limits::infinity() : x + x;
  return x > 0 && x <= Limits::max() ? normal : edge;
}

/// (e ** y - 1) / (e ** y + 1) with y = 2|x|; where y is small e ** y - 1 comes from
/// the series, which loses nothing to the subtraction.
MINITORCH_INLINED double tanh_straight(double x) {
  const double magnitude = x < 0 ? -x : x;
  const double y = magnitude > 40 ? 80 : 2 * magnitude;  // tanh(40) is 1
  const double small = y + y * y * exp_tail(y), large = exp_straight(y) - 1;
  const double t = y < 0.34 ? small : large;
  return std::copysign(t / (t + 2), x);
}

/// 1 - 2 / (e ** 2|x| + 1); near 0 a polynomial in x², which loses nothing to the
/// subtraction.
MINITORCH_INLINED float tanh_straight(float x) {
  const float magnitude = std::abs(x), z = x * x;
  const float tail =
      -0x1.55554ap-2f +
      z * (0x1.110d26p-3f +
           z * (-0x1.b9287ap-5f + z * (0x1.593cfep-6f + z * -0x1.9b3018p-8f)));
  const float small = x + x * (z * tail);
  const float y = magnitude > 10 ? 20.0f : 2 * magnitude;  // tanh(10) is 1
  const float large = 1 - 2 / (exp_normal(y) + 1);
  return std::copysign(magnitude >= 0.55f ? large : small, x);
}

/// Which numbers a way of computing holds for: all, or those of which `exp_is_extreme`
/// is not true, for less work and with the same bits.
enum class Range { All, Normal };

template <Range range, class T>
MINITORCH_INLINED T exp_in(T x) {
  return range == Range::All ? exp_straight(x) : exp_normal(x);
}

/// 1 / (1 + e ** -x), by the exponential of a value <= 0, so that nothing overflows.
template <Range range = Range::All, class T>
MINITORCH_INLINED T sigmoid_straight(T x) {
  const T e = exp_in<range>(-std::abs(x));
  return (x >= 0 ? T(1) : e) / (T(1) + e);
}

}  // namespace minitorch::cpu

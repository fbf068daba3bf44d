// Sine and cosine; of float, within 1.5 ulp. Reduction to an eighth of the circle is
// one step in double where |x| is small, integer arithmetic elsewhere; what follows is
// straight-line code. Results are the same on every instruction set, in vectors or
// alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu/builds.h"

namespace minitorch::cpu {

/// x = quadrant * π/2 + rest, |rest| <= π/4; of the quadrant the low two bits count.
struct Angle {
  float rest;
  uint32_t quadrant;
};

/// Has its highest bit set where `near_angle(x)` does not hold: |x| is above 2 ** 18,
/// or a NaN. Without a comparison, so that those of many numbers can be joined by |.
MINITORCH_INLINED uint32_t is_far_angle(float x) {
  const uint32_t magnitude = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
  return std::bit_cast<uint32_t>(0x1p18f) - magnitude;
}

/// The nearest multiple of π/2 taken off in two parts: its product with the first is
/// exact, the second gives the digits after those.
MINITORCH_INLINED Angle near_angle(float x) {
  constexpr double kRound = 0x1.8p52, kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kHigh = 0x1.921fb544p+0, kLow = 0x1.0b4611a626331p-34;
  const double wide = x, shifted = wide * kTwoOverPi + kRound, n = shifted - kRound;
  const double rest = (wide - n * kHigh) - n * kLow;
  return {static_cast<float>(rest),
          static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted))};
}

/// 64 bits of 2/π behind the point, from bit `first` on; the first one is bit 1.
inline uint64_t bits_of_two_over_pi(int first) {
  constexpr uint32_t kBits[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  const int word = (first - 1) / 32, shift = (first - 1) % 32;
  const uint64_t head = uint64_t{kBits[word]} << 32 | kBits[word + 1];
  return head << shift | (uint64_t{kBits[word + 2]} << shift) >> 32;
}

/// The same for a finite x of at least 2 ** 18: x * 2/π modulo 4 as an integer, to
/// which the bits of 2/π before the window would add multiples of 4.
inline Angle far_angle(float x) {
  const auto all = std::bit_cast<uint32_t>(x);
  const uint64_t mantissa = (all & 0x7fffffu) | 0x800000u;
  const int exponent = static_cast<int>(all >> 23 & 0xffu) - 127 - 23;
  const int first = exponent > 1 ? exponent - 1 : 1;
  const unsigned below = exponent > 1 ? 0u : static_cast<unsigned>(2 - exponent);
  using Wide = unsigned __int128;
  // In units of a quadrant / 2 ** 62.
  const Wide low = Wide{mantissa} * bits_of_two_over_pi(first + 64);
  const Wide product =
      (Wide{mantissa} * bits_of_two_over_pi(first) + (low >> 64)) >> below;
  const auto turns = static_cast<uint64_t>(product);
  const auto quadrant = static_cast<uint32_t>((turns + (uint64_t{1} << 61)) >> 62);
  const auto rest = static_cast<int64_t>(turns - (uint64_t{quadrant} << 62));
  const auto angle =
      static_cast<float>(static_cast<double>(rest) * 0x1.921fb54442d18p-62);
  return all >> 31 ? Angle{-angle, 0 - quadrant} : Angle{angle, quadrant};
}

MINITORCH_INLINED Angle angle_of(float x) {
  if (is_far_angle(x) >> 31 == 0) return near_angle(x);
  const bool finite = (std::bit_cast<uint32_t>(x) & 0x7fffffffu) < 0x7f800000u;
  return finite ? far_angle(x) : Angle{std::numeric_limits<float>::quiet_NaN(), 0};
}

/// sin(a + ahead * π/2): the fits of sine and cosine around 0, of which the quadrant
/// chooses one and the sign.
MINITORCH_INLINED float sine_of(Angle a, uint32_t ahead) {
  const float r = a.rest, z = r * r;
  const float tail = -0x1.555546p-3f + z * (0x1.110760p-7f + z * -0x1.994e86p-13f);
  const float sine = r == 0 ? r : r + r * z * tail;  // -0 stays
  const float cosine =
      1 - z * 0.5f +
      z * z * (0x1.55554ap-5f + z * (-0x1.6c0c8cp-10f + z * 0x1.9a022ap-16f));
  const uint32_t quadrant = a.quadrant + ahead;
  const float chosen = quadrant & 1u ? cosine : sine;
  const uint32_t sign = (quadrant & 2u) << 30;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(chosen) ^ sign);
}

MINITORCH_INLINED float sin_straight(float x) { return sine_of(angle_of(x), 0); }
MINITORCH_INLINED float cos_straight(float x) { return sine_of(angle_of(x), 1); }
MINITORCH_INLINED double sin_straight(double x) { return std::sin(x); }
MINITORCH_INLINED double cos_straight(double x) { return std::cos(x); }

}  // namespace minitorch::cpu

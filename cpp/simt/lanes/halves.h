// The 16-bit float formats for the isa_*.cpp sources: exact widening, and rounding
// to them in one step.
//
// Operations on halves are computed in double. Products of halves are exact there; a
// sum is rounded to odd (its last bit notes whether something was lost), so that
// rounding once more to 16 bits gives the correctly rounded result.
#pragma once

#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// A value as it lies in a row, told apart by type.
struct Half {
  uint16_t bits;
  static constexpr int kFraction = 10, kMinExponent = -14;
  static constexpr uint16_t kInfinity = 0x7c00, kNan = 0x7fff, kOne = 0x3c00;
  Half() = default;
  explicit Half(uint32_t row) : bits(static_cast<uint16_t>(row)) {}
  explicit operator uint32_t() const { return bits; }
};
struct Brain {
  uint16_t bits;
  static constexpr int kFraction = 7, kMinExponent = -126;
  static constexpr uint16_t kInfinity = 0x7f80, kNan = 0x7fff, kOne = 0x3f80;
  Brain() = default;
  explicit Brain(uint32_t row) : bits(static_cast<uint16_t>(row)) {}
  explicit operator uint32_t() const { return bits; }
};

[[gnu::always_inline]] inline float to_float(Half value) {
  const uint32_t magnitude = value.bits & 0x7fffu;
  const float scaled = __builtin_bit_cast(float, magnitude << 13) * 0x1p112f;
  const uint32_t special = magnitude >= Half::kInfinity ? 0x7f800000u : 0u;
  const uint32_t sign = (value.bits & 0x8000u) << 16;
  return __builtin_bit_cast(float,
                            __builtin_bit_cast(uint32_t, scaled) | special | sign);
}
[[gnu::always_inline]] inline float to_float(Brain value) {
  return __builtin_bit_cast(float, uint32_t{value.bits} << 16);
}

// Whether a magnitude cut off below its last bit is to be rounded up.
template <ptx::Rounding kRounding>
[[gnu::always_inline]] inline bool rounds_up(bool negative, bool odd, uint64_t lost,
                                             uint64_t half) {
  using ptx::Rounding;
  if constexpr (kRounding == Rounding::Zero) return false;
  if constexpr (kRounding == Rounding::Down) return negative && lost != 0;
  if constexpr (kRounding == Rounding::Up) return !negative && lost != 0;
  if constexpr (kRounding == Rounding::NearestAway) return lost >= half;
  return lost > half || (lost == half && odd);
}

template <class H, ptx::Rounding kRounding = ptx::Rounding::Nearest>
[[gnu::always_inline]] inline H round_to(double value) {
  const uint64_t bits = bits_of(value);
  const bool negative = bits >> 63;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const uint64_t significand =
      (bits & 0xfffffffffffff) | (exponent > -1023 ? uint64_t{1} << 52 : 0);
  const int below = exponent < H::kMinExponent ? H::kMinExponent - exponent : 0;
  const int wanted = 52 - H::kFraction + below, shift = wanted < 62 ? wanted : 62;
  const uint64_t kept = significand >> shift;
  const uint64_t lost = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  const uint64_t fraction = kept + rounds_up<kRounding>(negative, kept & 1, lost, half);
  const int steps = below ? 0 : exponent - H::kMinExponent;
  const uint64_t magnitude = (static_cast<uint64_t>(steps) << H::kFraction) + fraction;
  const bool to_infinity =
      rounds_up<kRounding>(negative, true, 1, 1) || value - value != 0;
  const uint64_t limit = to_infinity ? H::kInfinity : H::kInfinity - 1;
  const auto clamped = static_cast<uint32_t>(magnitude < limit ? magnitude : limit);
  return H(value == value ? clamped | (negative ? 0x8000u : 0u) : uint32_t{H::kNan});
}

// a + b rounded to odd.
[[gnu::always_inline]] inline double add_to_odd(double a, double b) {
  const double sum = a + b, part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const uint64_t bits = bits_of(sum);
  const uint64_t odd = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  const bool adjust = (error > 0 || error < 0) && (bits & 1) == 0;
  return __builtin_bit_cast(double, adjust ? odd : bits);
}

template <bool kFlush>
[[gnu::always_inline]] inline Half flush_half(Half value) {
  if constexpr (kFlush) {
    return Half((value.bits & 0x7c00u) == 0 ? value.bits & 0x8000u
                                            : uint32_t{value.bits});
  } else {
    return value;
  }
}
template <bool kFlush>
[[gnu::always_inline]] inline Brain flush_half(Brain value) {
  return value;  // bf16 instructions keep subnormals
}

enum class Limit { None, Saturate, Relu };

// .sat (NaN becomes +0) or .relu (NaN stays).
template <class H, Limit kLimit>
[[gnu::always_inline]] inline H limited(H value) {
  if constexpr (kLimit == Limit::None) return value;
  const bool nan = (value.bits & 0x7fffu) > H::kInfinity;
  if (nan) return kLimit == Limit::Saturate ? H(0u) : value;
  if (value.bits & 0x8000u) return H(0u);
  return kLimit == Limit::Saturate && value.bits > H::kOne ? H(H::kOne) : value;
}

template <class H, bool kFlush, Limit kLimit>
[[gnu::always_inline]] inline H finish_half(double value) {
  return limited<H, kLimit>(flush_half<kFlush>(round_to<H>(value)));
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

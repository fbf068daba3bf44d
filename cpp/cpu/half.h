// The 16-bit floating types on the host: their bits and their rounding, written without
// branches so that loops over them become vectors. kernels/half.cuh is the twin.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace minitorch::cpu {

/// `value` rounded to float so that a second rounding to a shorter type gives what one
/// rounding of `value` would: towards zero, with the last bit set if anything was lost.
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  const bool away = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return std::bit_cast<float>((bits - (away ? 1 : 0)) | 1);
}

/// IEEE binary16 to float; exact.
inline float widen_float16(uint16_t bits) {
  const uint32_t magnitude = (bits & 0x7fffu) << 13;
  // Multiplying by 2^112 moves the exponent's bias and makes subnormals normal.
  const float moved = std::bit_cast<float>(magnitude) * 0x1p112f;
  const bool special = magnitude >= 0x0f800000u;  // infinity and NaN
  const uint32_t widened =
      special ? magnitude | 0x7f800000u : std::bit_cast<uint32_t>(moved);
  return std::bit_cast<float>(widened | (bits & 0x8000u) << 16);
}

/// Float to IEEE binary16, to nearest, ties to even; a NaN stays one.
inline uint16_t narrow_float16(float value) {
  const auto all = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = all & 0x7fffffffu;
  // Adding ½ makes the float unit round at the last bit of a subnormal result.
  const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
  const uint32_t subnormal = std::bit_cast<uint32_t>(aligned) - 0x3f000000u;
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  uint32_t out = magnitude < 0x38800000u ? subnormal : normal;
  out = magnitude >= 0x47800000u ? special : out;
  return static_cast<uint16_t>(out | (all >> 16 & 0x8000u));
}

/// bfloat16 is the upper half of a float.
inline float widen_bfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t narrow_bfloat16(float value) {
  const auto all = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (all + 0x7fffu + (all >> 16 & 1u)) >> 16;
  const uint32_t nan = all >> 16 | 0x40u;
  return static_cast<uint16_t>((all & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/// Numbers of 16 bits in memory; they convert to float by themselves, and from any
/// number when asked, rounding once.
template <float (*Widen)(uint16_t), uint16_t (*Narrow)(float)>
struct Half {
  uint16_t bits = 0;

  Half() = default;
  template <class T>
    requires std::is_convertible_v<T, float>
  explicit Half(T value) {
    if constexpr (std::is_same_v<T, double> || sizeof(T) == 8) {
      bits = Narrow(round_to_odd(static_cast<double>(value)));
    } else {
      bits = Narrow(static_cast<float>(value));
    }
  }
  operator float() const { return Widen(bits); }
};

using Float16 = Half<widen_float16, narrow_float16>;
using BFloat16 = Half<widen_bfloat16, narrow_bfloat16>;

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

}  // namespace minitorch::cpu

// Python's //, % and ** and saturating conversions, step by step as in
// kernels/python_math.cuh.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace minitorch::cpu {

inline int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

inline int64_t floor_modulo(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

template <class Float>
  requires std::is_floating_point_v<Float>
Float floor_modulo(Float a, Float b) {
  const Float remainder = std::fmod(a, b);
  if (remainder == 0) return b == 0 ? remainder : std::copysign(Float(0), b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

template <class Float>
  requires std::is_floating_point_v<Float>
Float floor_divide(Float a, Float b) {
  if (b == 0) return a / b;
  const Float remainder = std::fmod(a, b);
  Float quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(Float(0), a / b);
  const Float below = std::floor(quotient);
  return quotient - below > Float(0.5) ? below + 1 : below;
}

/// base ** exponent among integers; wraps, and truncates 1 / base ** -exponent.
inline int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1 || base == -1) return exponent % 2 != 0 ? base : 1;
    return 0;
  }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}

/// Float to integer as a GPU converts: truncated, clamped to the range; NaN gives the
/// least 64-bit integer, and 0 in 32 bits.
template <class Integer, class Float>
Integer truncate(Float value) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) return sizeof(Integer) == 8 ? Limits::min() : Integer(0);
  // -min is a power of two, exact in every float type; max may not be.
  const Float bound = -static_cast<Float>(Limits::min());
  if (value >= bound) return Limits::max();
  return value < -bound ? Limits::min() : static_cast<Integer>(value);
}

}  // namespace minitorch::cpu

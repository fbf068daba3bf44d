// What all float handlers share: canonical NaNs, flushing and saturation, as PTX
// defines them, for the isa_*.cpp sources.
#pragma once

#include "simt/lanes/rows.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

template <class T>
struct FloatBits {
  using type = uint32_t;
  static constexpr type kSign = 0x80000000u, kExponent = 0x7f800000u,
                        kNan = 0x7fffffffu;
};
template <>
struct FloatBits<double> {
  using type = uint64_t;
  static constexpr type kSign = uint64_t{1} << 63, kExponent = uint64_t{0x7ff} << 52;
  static constexpr type kNan = uint64_t{0xfff8} << 48;
};

template <class T>
[[gnu::always_inline]] inline typename FloatBits<T>::type bits_of(T value) {
  return __builtin_bit_cast(typename FloatBits<T>::type, value);
}
template <class T>
[[gnu::always_inline]] inline T from_bits(typename FloatBits<T>::type bits) {
  return __builtin_bit_cast(T, bits);
}

// f32: the one NaN that PTX defines; f64: the NaN that the hardware makes.
template <class T>
[[gnu::always_inline]] inline T canonical(T value) {
  return value == value ? value : from_bits<T>(FloatBits<T>::kNan);
}

// .ftz: subnormals become a zero of their sign (f32 only).
template <bool kFlush, class T>
[[gnu::always_inline]] inline T flush(T value) {
  if constexpr (kFlush) {
    const auto bits = bits_of(value);
    return from_bits<T>(
        (bits & FloatBits<T>::kExponent) == 0 ? bits & FloatBits<T>::kSign : bits);
  } else {
    return value;
  }
}

// .sat: into [0, 1]; NaN and -0 become +0.
template <bool kSaturate, class T>
[[gnu::always_inline]] inline T saturate(T value) {
  if constexpr (kSaturate) {
    const T low = value > T{0} ? value : T{0};
    return low < T{1} ? low : T{1};
  } else {
    return value;
  }
}

// rni, rzi, rmi, rpi: to an integral value of the same type; none: as it is.
template <ptx::Rounding kRounding, class T>
[[gnu::always_inline]] inline T to_integral(T value) {
  using ptx::Rounding;
  constexpr bool kSingle = sizeof(T) == 4;
  if constexpr (kRounding == Rounding::NearestInt) {
    if constexpr (kSingle)
      return __builtin_rintf(value);
    else
      return __builtin_rint(value);
  } else if constexpr (kRounding == Rounding::ZeroInt) {
    if constexpr (kSingle)
      return __builtin_truncf(value);
    else
      return __builtin_trunc(value);
  } else if constexpr (kRounding == Rounding::DownInt) {
    if constexpr (kSingle)
      return __builtin_floorf(value);
    else
      return __builtin_floor(value);
  } else if constexpr (kRounding == Rounding::UpInt) {
    if constexpr (kSingle)
      return __builtin_ceilf(value);
    else
      return __builtin_ceil(value);
  } else {
    return value;
  }
}

template <bool kFlush, bool kSaturate, class T>
[[gnu::always_inline]] inline T finish(T value) {
  return saturate<kSaturate>(flush<kFlush>(canonical(value)));
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

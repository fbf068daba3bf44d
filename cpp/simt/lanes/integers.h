// The conversion of one float to an integer, for the isa_*.cpp sources: rounded,
// saturated, NaN as the ISA says.
#pragma once

#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// An s8 result is extended to the 32 bits of its register, s16 to its 16 bits.
template <class D>
using Result = std::conditional_t<std::is_same_v<D, int8_t>, int32_t, D>;

// 2^n.
template <class T>
constexpr T power_of_two(int n) {
  T value = 1;
  for (; n > 0; --n) value *= 2;
  return value;
}

template <class D, class T, ptx::Rounding kRounding, bool kFtz>
struct ToInteger {
  static constexpr int kWidth = 8 * sizeof(D);
  static constexpr bool kSigned = std::is_signed_v<D>;
  static constexpr T kAbove = power_of_two<T>(kWidth - kSigned);
  static constexpr T kBelow = kSigned ? -kAbove : T{0};
  static constexpr D kMaximum = static_cast<D>(~uint64_t{0} >> (64 - kWidth + kSigned));
  static constexpr D kMinimum =
      kSigned ? static_cast<D>(uint64_t{1} << (kWidth - 1)) : 0;
  // NaN: 0, or the top bit alone where 64 bits are involved.
  static constexpr D kNan =
      sizeof(T) == 8 || kWidth == 64 ? static_cast<D>(uint64_t{1} << (kWidth - 1)) : 0;

  static Result<D> of(T a) {
    const T value = to_integral<kRounding>(flush<kFtz>(a));
    const bool above = value >= kAbove, below = value < kBelow, nan = value != value;
    using Step = std::conditional_t<sizeof(D) < 4, int32_t, D>;
    const auto inside =
        static_cast<D>(static_cast<Step>(above || below || nan ? T{0} : value));
    return above ? kMaximum : below ? kMinimum : nan ? kNan : inside;
  }
};

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

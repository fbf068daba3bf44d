// Integer types that wrap or widen without the host's promotions, for the isa_*.cpp
// sources.
#pragma once

#include "simt/lanes/rows.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// Arithmetic wraps: computed in an unsigned type that is never promoted to int.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
struct Twice;
template <>
struct Twice<int16_t> {
  using type = int32_t;
};
template <>
struct Twice<uint16_t> {
  using type = uint32_t;
};
template <>
struct Twice<int32_t> {
  using type = int64_t;
};
template <>
struct Twice<uint32_t> {
  using type = uint64_t;
};
template <>
struct Twice<int64_t> {
  using type = __int128;
};
template <>
struct Twice<uint64_t> {
  using type = unsigned __int128;
};
template <class T>
using Wide = typename Twice<T>::type;
// Saturating forms exist for s32 only; 64 bits hold every intermediate value.
[[maybe_unused]] int32_t saturate(int64_t value) {
  if (value > INT32_MAX) return INT32_MAX;
  return value < INT32_MIN ? INT32_MIN : static_cast<int32_t>(value);
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA

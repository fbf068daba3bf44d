// Copies between strided layouts, with conversion of the element type, and fills.
#pragma once

#include <type_traits>

#include "cpu/element_loops.h"
#include "cpu/half.h"

namespace minitorch::cpu {

/// Is there a loop that converts `From` to `To`?
template <class From, class To>
constexpr bool kConverts =
    !std::is_same_v<From, To> && (!kIsHalf<From> || std::is_same_v<To, float>) &&
    (!kIsHalf<To> || std::is_same_v<From, float> || std::is_same_v<From, double>);

/// out[i] = To(a[i]) over `shape`: between any two of float, double, int32_t, int64_t,
/// uint8_t and bool (non-zero is true), from the 16-bit floats to float, to them from
/// float and double, and between equal unsigned types. Transposed layouts are walked in
/// tiles.
template <class From, class To>
void copy(std::span<const int64_t> shape, Strided<const From> a, Strided<To> out);

/// out[i] = value for `count` elements in a row.
template <class T>
void fill(T* out, int64_t count, T value);

}  // namespace minitorch::cpu

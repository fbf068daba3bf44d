// Owns copies between strided layouts, with conversion of the element type, and fills.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

/// out[i] = To(a[i]) over `shape`, between any two of float, double, int32_t, int64_t,
/// uint8_t and bool (non-zero is true). Transposed layouts are walked in tiles.
template <class From, class To>
void copy(std::span<const int64_t> shape, Strided<const From> a, Strided<To> out);

/// out[i] = value for `count` elements in a row.
template <class T>
void fill(T* out, int64_t count, T value);

}  // namespace minitorch::cpu

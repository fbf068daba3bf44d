// Owns the list of comparisons and their host loops.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

enum class Compare { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

/// out = a op b over `shape`, for float, double, int32_t, int64_t and uint8_t; with NaN
/// on a side only NotEqual holds.
template <class T>
void compare(Compare op, std::span<const int64_t> shape, Strided<const T> a,
             Strided<const T> b, Strided<bool> out);

}  // namespace minitorch::cpu

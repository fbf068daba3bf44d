// The host loop that chooses between two arrays.
#pragma once

#include "cpu/element_loops.h"

namespace minitorch::cpu {

/// out[i] = condition[i] ? a[i] : b[i] over `shape`, for the unsigned types of 1, 2, 4
/// and 8 bytes: it only moves elements.
template <class T>
void where(std::span<const int64_t> shape, Strided<const bool> condition,
           Strided<const T> a, Strided<const T> b, Strided<T> out);

}  // namespace minitorch::cpu

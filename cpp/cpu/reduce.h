// Owns the reductions along one dimension on the host: threads, vectors, and summation
// in blocks, so that the rounding error grows with the logarithm of the length.
#pragma once

#include "cpu/elementwise.h"

namespace minitorch::cpu {

enum class Reduce { Sum, Max };

/// out[o] = the elements along `dim` of `a`, joined. `a.strides` belongs to `shape`;
/// `out` is row-major over the other dimensions. Sum of nothing is 0; Max of nothing is
/// the caller's error. A NaN makes the maximum NaN.
template <class T>
void reduce(Reduce op, std::span<const int64_t> shape, size_t dim, Strided<const T> a,
            T* out);

}  // namespace minitorch::cpu

// The reductions along one dimension on the host: threads, vectors, and summation in
// blocks, so that the rounding error grows with the logarithm of the length.
#pragma once

#include "cpu/element_loops.h"

namespace minitorch::cpu {

enum class Reduce { Sum, Max, Min, Prod };

/// out[o] = the elements along `dim` of `a`, joined. `a.strides` belongs to `shape`;
/// `out` is row-major over the other dimensions. Sum of nothing is 0 and Prod 1; Max
/// and Min of nothing are the caller's error. A NaN makes the result NaN. For float,
/// double, int32_t, int64_t and uint8_t.
template <class T>
void reduce(Reduce op, std::span<const int64_t> shape, size_t dim, Strided<const T> a,
            T* out);

}  // namespace minitorch::cpu

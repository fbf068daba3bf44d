// The host loops that walk one dimension in order: the place of the extreme, and
// running sums.
#pragma once

#include "cpu/element_loops.h"

namespace minitorch::cpu {

enum class Extreme { Largest, Smallest };

/// out[o] = position along `dim` of the extreme element, the first of equal ones; a NaN
/// counts as the extreme. `out` is row-major over the other dimensions; dim is not
/// empty.
template <class T>
void arg_extreme(Extreme which, std::span<const int64_t> shape, size_t dim,
                 Strided<const T> a, int64_t* out);

/// out[i] = sum of the elements up to i along `dim`. Sums of float run in double.
template <class T>
void cumsum(std::span<const int64_t> shape, size_t dim, Strided<const T> a,
            Strided<T> out);

}  // namespace minitorch::cpu

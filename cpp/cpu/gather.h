// The host loops that read and write at indices along one dimension.
#pragma once

#include "cpu/element_loops.h"

namespace minitorch::cpu {

/// The indexed dimension of the operand that is read (gather) or written (scatter): its
/// strides in Strided leave it out (0 there), and an index counts from the end if
/// negative. Every index lies within -size … size - 1.
struct Indexed {
  int64_t size, stride;
};

/// out[i] = a[i with index[i] in place of the coordinate along the dimension].
template <class T>
void gather(std::span<const int64_t> shape, Strided<const T> a, Indexed dim,
            Strided<const int64_t> index, Strided<T> out);

/// out[likewise] = a[i], in order, so that the last of equal indices stays.
/// `split` is a dimension other than the indexed one, whose parts may be written by
/// several threads.
template <class T>
void scatter(std::span<const int64_t> shape, size_t split, Strided<const T> a,
             Strided<const int64_t> index, Strided<T> out, Indexed dim);

/// out[likewise] += a[i]: the same sum with any number of threads.
template <class T>
void scatter_add(std::span<const int64_t> shape, size_t split, Strided<const T> a,
                 Strided<const int64_t> index, Strided<T> out, Indexed dim);

/// Are all numbers from `low` to `end` - 1?
bool all_within(const int64_t* index, int64_t count, int64_t low, int64_t end);

}  // namespace minitorch::cpu

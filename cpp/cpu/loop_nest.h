// The walk over several strided operands of one shape: merges dimensions, splits the
// walk over threads, hands out rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_pool.h"

namespace minitorch::cpu {

constexpr size_t kMaxDims = 32;

/// Below this many elements a second thread costs more than it brings.
constexpr size_t kGrain = 32768;
/// The same where each element of a result is a walk over several: steps of all walks.
constexpr int64_t kCellGrain = 16384;

/// Shape and element strides of N operands, with neighbouring dimensions merged where
/// all operands allow it; dimension dims - 1 is the row.
template <size_t N>
struct LoopNest {
  size_t dims = 0;
  int64_t total = 1;
  std::array<int64_t, kMaxDims> shape;
  std::array<std::array<int64_t, kMaxDims>, N> strides;

  int64_t row_length() const { return dims ? shape[dims - 1] : 1; }
  int64_t row_stride(size_t operand) const {
    return dims ? strides[operand][dims - 1] : 1;
  }
};

/// `strides[i]` has one entry per dimension of `shape`, 0 where operand i is broadcast.
template <size_t N>
LoopNest<N> make_nest(std::span<const int64_t> shape,
                      const std::array<std::span<const int64_t>, N>& strides) {
  LoopNest<N> nest;
  for (size_t d = 0; d < shape.size(); ++d) {
    nest.total *= shape[d];
    if (shape[d] == 1) continue;
    bool merges = nest.dims > 0;
    for (size_t i = 0; merges && i < N; ++i) {
      merges = nest.strides[i][nest.dims - 1] == strides[i][d] * shape[d];
    }
    size_t at = merges ? nest.dims - 1 : nest.dims++;
    nest.shape[at] = merges ? nest.shape[at] * shape[d] : shape[d];
    for (size_t i = 0; i < N; ++i) nest.strides[i][at] = strides[i][d];
  }
  return nest;
}

/// Calls `row(offsets, count)` for the pieces of rows that make up elements [begin,
/// end) in row-major order; `offsets[i]` counts elements of operand i.
template <size_t N, class Row>
void for_rows(const LoopNest<N>& nest, int64_t begin, int64_t end, Row&& row) {
  if (begin >= end) return;
  std::array<int64_t, N> offsets{};
  std::array<int64_t, kMaxDims> index{};
  int64_t rest = begin;
  for (size_t d = nest.dims; d-- > 0;) {
    index[d] = rest % nest.shape[d];
    rest /= nest.shape[d];
    for (size_t i = 0; i < N; ++i) offsets[i] += index[d] * nest.strides[i][d];
  }
  const int64_t length = nest.row_length();
  const size_t last = nest.dims ? nest.dims - 1 : 0;
  while (begin < end) {
    int64_t count = length - index[last];
    if (count > end - begin) count = end - begin;
    row(offsets, count);
    begin += count;
    if (begin >= end) return;
    // Back to the start of the row, then one step further in the outer dimensions.
    for (size_t i = 0; i < N; ++i) offsets[i] -= index[last] * nest.strides[i][last];
    index[last] = 0;
    for (size_t d = last; d-- > 0;) {
      for (size_t i = 0; i < N; ++i) offsets[i] += nest.strides[i][d];
      if (++index[d] < nest.shape[d]) break;
      for (size_t i = 0; i < N; ++i) offsets[i] -= nest.shape[d] * nest.strides[i][d];
      index[d] = 0;
    }
  }
}

/// `for_rows` over the whole nest, split over the shared pool.
template <size_t N, class Row>
void for_rows_parallel(const LoopNest<N>& nest, size_t grain, Row&& row) {
  const auto total = static_cast<size_t>(nest.total);
  if (total < 2 * grain) return for_rows(nest, 0, nest.total, row);
  base::shared_pool().parallel_for(total, grain, [&](size_t begin, size_t end) {
    for_rows(nest, static_cast<int64_t>(begin), static_cast<int64_t>(end), row);
  });
}

}  // namespace minitorch::cpu

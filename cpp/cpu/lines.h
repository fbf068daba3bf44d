// The steps of loops along one dimension, as softmax and the losses take them:
// contiguous lines some at a time, so that e ** x works on long runs whatever their
// length; others as bands of neighbouring columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/thread_pool.h"
#include "cpu/loop_nest.h"
#include "cpu/rows.h"

namespace minitorch::cpu {

/// Cells (outer, length, inner), row-major; a line is all cells of one outer and one
/// inner index: `length` of them, at least 1.
struct Lines {
  int64_t outer, length, inner;

  int64_t count() const { return outer * inner; }
};

constexpr int64_t kRunCells = 1024;  // that wait in the first cache between steps

// Each is built for several instruction sets. Of contiguous lines there are `rows`,
// with one of `by` for each; of columns each has one of its own.
#define MINITORCH_LINE_STEPS(T)                                                      \
  /** The largest of each line; of one with a NaN any of its cells, since its sum is \
   */                                                                                \
  /** NaN whatever is taken off. */                                                  \
  void largest_of(const T* x, int64_t length, int64_t rows, T* largest);             \
  /** out = x - by */                                                                \
  void shift_lines(const T* x, const T* by, int64_t length, int64_t rows, T* out);   \
  void shift_columns(const T* x, const T* by, T* out, int64_t count);                \
  /** out *= by */                                                                   \
  void scale_lines(T* out, const T* by, int64_t length, int64_t rows);               \
  void scale_columns(T* out, const T* by, int64_t count);                            \
  /** out -= by */                                                                   \
  void lower_lines(T* out, const T* by, int64_t length, int64_t rows);               \
  void lower_columns(T* out, const T* by, int64_t count);                            \
  /** The sum of a run, and of a * b. */                                             \
  T sum_of_run(const T* a, int64_t count);                                           \
  T product_of_run(const T* a, const T* b, int64_t count);                           \
  /** out += a * b */                                                                \
  void add_products(const T* a, const T* b, T* out, int64_t count);                  \
  /** out = y * (g - sum) */                                                         \
  void plain_back(const T* g, const T* y, T sum, T* out, int64_t count);             \
  void plain_back_columns(const T* g, const T* y, const T* sum, T* out,              \
                          int64_t count);                                            \
  /** out = g - p * sum */                                                           \
  void logarithm_back(const T* g, const T* p, T sum, T* out, int64_t count);         \
  void logarithm_back_columns(const T* g, const T* p, const T* sum, T* out,          \
                              int64_t count);
MINITORCH_LINE_STEPS(float)
MINITORCH_LINE_STEPS(double)
#undef MINITORCH_LINE_STEPS

/// Contiguous lines [first, last), as many together as fit a run, at least one:
/// body(offset of their cells, their number).
template <class Body>
void for_line_runs(int64_t length, int64_t first, int64_t last, Body body) {
  const int64_t together = std::max<int64_t>(1, kRunCells / length);
  for (int64_t line = first; line < last; line += together)
    body(line * length, std::min(together, last - line));
}

/// The parts of a line that is longer than a run: body(offset, cells).
template <class Body>
void for_parts(int64_t length, Body body) {
  for (int64_t at = 0; at < length; at += kRunCells)
    body(at, std::min(kRunCells, length - at));
}

/// `lines(first, last)` for the lines of contiguous cells, split over threads.
template <class Body>
void share_lines(const Lines& s, Body body) {
  const int64_t grain = std::max<int64_t>(1, kCellGrain / s.length);
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.outer), static_cast<size_t>(grain),
      [&](size_t begin, size_t end) {
        body(static_cast<int64_t>(begin), static_cast<int64_t>(end));
      });
}

/// Neighbouring columns that one pass takes: their cells stay in the second cache.
constexpr int64_t kBandColumns = 256;

/// `body(offset of the first cell, columns)` for bands of neighbouring columns.
template <class Body>
void share_columns(const Lines& s, Body body) {
  const int64_t bands = (s.inner + kBandColumns - 1) / kBandColumns;
  const int64_t cells = s.length * std::min(s.inner, kBandColumns);
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.outer * bands),
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / cells)),
      [&](size_t begin, size_t end) {
        for (auto band = static_cast<int64_t>(begin); band < static_cast<int64_t>(end);
             ++band) {
          const int64_t first = band % bands * kBandColumns;
          body(band / bands * s.length * s.inner + first,
               std::min(kBandColumns, s.inner - first));
        }
      });
}

}  // namespace minitorch::cpu

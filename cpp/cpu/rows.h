// Owns the loops over contiguous rows that gain from wide vectors: built for several
// instruction sets, chosen when the program starts. Knows no strides and no threads.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

#define MINITORCH_ROW(T)                                   \
  void exp_row(const T* x, T* out, int64_t count);         \
  void log_row(const T* x, T* out, int64_t count);         \
  void sigmoid_row(const T* x, T* out, int64_t count);     \
  void tanh_row(const T* x, T* out, int64_t count);        \
  /** out[i] = the larger of out[i] and x[i]; NaN wins. */ \
  void max_row(const T* x, T* out, int64_t count);         \
  /** The largest of at least one element; NaN wins. */    \
  T max_of_row(const T* x, int64_t count);                 \
  /** out[i] += x[i] */                                    \
  void add_row(const T* x, T* out, int64_t count);         \
  /** The same for eight rows, `step` elements apart. */   \
  void add_8_rows(const T* x, int64_t step, T* out, int64_t count);
MINITORCH_ROW(float)
MINITORCH_ROW(double)
#undef MINITORCH_ROW

/// out[i] = x[i] op y[i], x[i] op y[0] and x[0] op y[i].
template <class T>
struct ZipRows {
  using Row = void (*)(const T* x, const T* y, T* out, int64_t count);
  Row both, left, right;
};

// add_rows(const float*) and so on: of each op of arithmetic.
#define MINITORCH_BINARY(Op, function, name, domain, truth, formula, ...) formula
#define ARITHMETIC(function, formula)           \
  ZipRows<float> function##_rows(const float*); \
  ZipRows<double> function##_rows(const double*);
#define BOTH(...)
#define EACH(...)
#define WIDE(...)
#include "cpu/elementwise.inc"
#undef ARITHMETIC
#undef BOTH
#undef EACH
#undef WIDE

}  // namespace minitorch::cpu

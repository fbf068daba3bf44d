// The loops over contiguous rows that gain from wide vectors: built for several
// instruction sets, chosen when the program starts.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

#define MINITORCH_ROW(T)                                   \
  void exp_row(const T* x, T* out, int64_t count);         \
  void log_row(const T* x, T* out, int64_t count);         \
  void sigmoid_row(const T* x, T* out, int64_t count);     \
  void silu_row(const T* x, T* out, int64_t count);        \
  void sin_row(const T* x, T* out, int64_t count);         \
  void cos_row(const T* x, T* out, int64_t count);         \
  void tanh_row(const T* x, T* out, int64_t count);        \
  /** out[i] = the larger of out[i] and x[i]; NaN wins. */ \
  void max_row(const T* x, T* out, int64_t count);         \
  /** The largest of at least one element; NaN wins. */    \
  T max_of_row(const T* x, int64_t count);                 \
  /** The sum, in as many lanes whatever the processor. */ \
  T sum_of_row(const T* x, int64_t count);                 \
  /** out[i] += x[i] */                                    \
  void add_row(const T* x, T* out, int64_t count);         \
  /** The same for eight rows, `step` elements apart. */   \
  void add_8_rows(const T* x, int64_t step, T* out, int64_t count);
MINITORCH_ROW(float)
MINITORCH_ROW(double)
#undef MINITORCH_ROW

template <class T>
using MapRow = void (*)(const T* x, T* out, int64_t count);

/// Loops of out[i] = op(x[i], y[i]), of op(x[i], y[0]) and of op(x[0], y[i]).
template <class T>
struct ZipRows {
  using Row = void (*)(const T* x, const T* y, T* out, int64_t count);
  Row both, left, right;
};

/// x ** y; exponents that are common numbers have loops of their own.
ZipRows<float> pow_rows(const float*);
ZipRows<double> pow_rows(const double*);

}  // namespace minitorch::cpu

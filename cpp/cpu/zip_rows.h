// Owns the arithmetic on contiguous rows that gains from wide vectors: built for
// several instruction sets, chosen when the program starts. Knows no strides and no
// threads.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

/// out[i] = x[i] op y[i], x[i] op y[0] and x[0] op y[i].
template <class T>
struct ZipRows {
  using Row = void (*)(const T* x, const T* y, T* out, int64_t count);
  Row both, left, right;
};

#define MINITORCH_ZIP_ROWS(T)    \
  ZipRows<T> add_rows(const T*); \
  ZipRows<T> sub_rows(const T*); \
  ZipRows<T> mul_rows(const T*); \
  ZipRows<T> div_rows(const T*);
MINITORCH_ZIP_ROWS(float)
MINITORCH_ZIP_ROWS(double)
#undef MINITORCH_ZIP_ROWS

}  // namespace minitorch::cpu

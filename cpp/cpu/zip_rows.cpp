// Owns the arithmetic on contiguous rows that gains from wide vectors.
#include "cpu/zip_rows.h"

#include "cpu/builds.h"

namespace minitorch::cpu {
namespace {

#define MINITORCH_ZIP_ROW(T, name, op)                                             \
  MINITORCH_BUILDS void name##_both(const T* __restrict x, const T* __restrict y,  \
                                    T* __restrict out, int64_t count) {            \
    for (int64_t i = 0; i < count; ++i) out[i] = x[i] op y[i];                     \
  }                                                                                \
  MINITORCH_BUILDS void name##_left(const T* __restrict x, const T* __restrict y,  \
                                    T* __restrict out, int64_t count) {            \
    const T right = *y;                                                            \
    for (int64_t i = 0; i < count; ++i) out[i] = x[i] op right;                    \
  }                                                                                \
  MINITORCH_BUILDS void name##_right(const T* __restrict x, const T* __restrict y, \
                                     T* __restrict out, int64_t count) {           \
    const T left = *x;                                                             \
    for (int64_t i = 0; i < count; ++i) out[i] = left op y[i];                     \
  }
#define MINITORCH_ZIP_ROWS(name, op) \
  MINITORCH_ZIP_ROW(float, name, op) \
  MINITORCH_ZIP_ROW(double, name, op)
MINITORCH_ZIP_ROWS(add, +)
MINITORCH_ZIP_ROWS(sub, -)
MINITORCH_ZIP_ROWS(mul, *)
MINITORCH_ZIP_ROWS(div, /)
#undef MINITORCH_ZIP_ROWS
#undef MINITORCH_ZIP_ROW

}  // namespace

#define MINITORCH_ZIP_TABLE(T, name) \
  ZipRows<T> name##_rows(const T*) { return {name##_both, name##_left, name##_right}; }
#define MINITORCH_ZIP_TABLES(T) \
  MINITORCH_ZIP_TABLE(T, add)   \
  MINITORCH_ZIP_TABLE(T, sub)   \
  MINITORCH_ZIP_TABLE(T, mul)   \
  MINITORCH_ZIP_TABLE(T, div)
MINITORCH_ZIP_TABLES(float)
MINITORCH_ZIP_TABLES(double)
#undef MINITORCH_ZIP_TABLES
#undef MINITORCH_ZIP_TABLE

}  // namespace minitorch::cpu

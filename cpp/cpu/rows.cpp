// Owns the loops over contiguous rows that gain from wide vectors.
#include "cpu/rows.h"

#include <algorithm>
#include <bit>

#include "cpu/builds.h"
#include "cpu/vector_math.h"

namespace minitorch::cpu {

constexpr int64_t kMaxima = 32;  // independent results: several of the widest vectors
constexpr int64_t kTogether = 512;  // elements of one kind take the short way together

#define MINITORCH_ROW(T)                                                      \
  MINITORCH_BUILDS void exp_row(const T* __restrict x, T* __restrict out,     \
                                int64_t count) {                              \
    for (int64_t first = 0; first < count; first += kTogether) {              \
      const int64_t last = std::min(first + kTogether, count);                \
      auto extreme = exp_is_extreme(x[first]);                                \
      for (int64_t i = first; i < last; ++i) extreme |= exp_is_extreme(x[i]); \
      if (std::countl_zero(extreme) > 0) {                                    \
        for (int64_t i = first; i < last; ++i) out[i] = exp_normal(x[i]);     \
      } else {                                                                \
        for (int64_t i = first; i < last; ++i) out[i] = exp_straight(x[i]);   \
      }                                                                       \
    }                                                                         \
  }                                                                           \
  MINITORCH_BUILDS void log_row(const T* __restrict x, T* __restrict out,     \
                                int64_t count) {                              \
    for (int64_t i = 0; i < count; ++i) out[i] = log_straight(x[i]);          \
  }                                                                           \
  MINITORCH_BUILDS void sigmoid_row(const T* __restrict x, T* __restrict out, \
                                    int64_t count) {                          \
    for (int64_t i = 0; i < count; ++i) out[i] = sigmoid_straight(x[i]);      \
  }                                                                           \
  MINITORCH_BUILDS void tanh_row(const T* __restrict x, T* __restrict out,    \
                                 int64_t count) {                             \
    for (int64_t i = 0; i < count; ++i) out[i] = tanh_straight(x[i]);         \
  }                                                                           \
  MINITORCH_BUILDS void max_row(const T* __restrict x, T* __restrict out,     \
                                int64_t count) {                              \
    for (int64_t i = 0; i < count; ++i) {                                     \
      const bool keep = (out[i] > x[i]) | (out[i] != out[i]);                 \
      out[i] = keep ? out[i] : x[i];                                          \
    }                                                                         \
  }                                                                           \
  MINITORCH_BUILDS T max_of_row(const T* x, int64_t count) {                  \
    T lanes[kMaxima];                                                         \
    for (T & lane : lanes) lane = x[0];                                       \
    int64_t i = 0;                                                            \
    for (; i + kMaxima <= count; i += kMaxima) {                              \
      for (int64_t j = 0; j < kMaxima; ++j) {                                 \
        const bool keep = (lanes[j] > x[i + j]) | (lanes[j] != lanes[j]);     \
        lanes[j] = keep ? lanes[j] : x[i + j];                                \
      }                                                                       \
    }                                                                         \
    for (int64_t j = 0; i < count; ++i, ++j) {                                \
      const bool keep = (lanes[j] > x[i]) | (lanes[j] != lanes[j]);           \
      lanes[j] = keep ? lanes[j] : x[i];                                      \
    }                                                                         \
    T largest = lanes[0];                                                     \
    for (const T lane : lanes) {                                              \
      largest = (largest > lane) | (largest != largest) ? largest : lane;     \
    }                                                                         \
    return largest;                                                           \
  }                                                                           \
  MINITORCH_BUILDS void add_row(const T* __restrict x, T* __restrict out,     \
                                int64_t count) {                              \
    for (int64_t i = 0; i < count; ++i) out[i] += x[i];                       \
  }                                                                           \
  MINITORCH_BUILDS void add_8_rows(const T* __restrict x, int64_t step,       \
                                   T* __restrict out, int64_t count) {        \
    for (int64_t i = 0; i < count; ++i) {                                     \
      T sum = out[i];                                                         \
      for (int64_t r = 0; r < 8; ++r) sum += x[r * step + i];                 \
      out[i] = sum;                                                           \
    }                                                                         \
  }
MINITORCH_ROW(float)
MINITORCH_ROW(double)
#undef MINITORCH_ROW

// `out` may be one of the operands, cell for cell: no step reads what another wrote.
#define MINITORCH_ZIP_ROW(T, function, side, first, second, formula)             \
  static MINITORCH_BUILDS void function##_##side(const T* x, const T* y, T* out, \
                                                 int64_t count) {                \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) {                   \
      const T a = first, b = second;                                             \
      out[i] = formula;                                                          \
    }                                                                            \
  }
#define MINITORCH_ZIP_ROWS(T, function, formula)                 \
  MINITORCH_ZIP_ROW(T, function, both, x[i], y[i], formula)      \
  MINITORCH_ZIP_ROW(T, function, left, x[i], *y, formula)        \
  MINITORCH_ZIP_ROW(T, function, right, *x, y[i], formula)       \
  ZipRows<T> function##_rows(const T*) {                         \
    return {function##_both, function##_left, function##_right}; \
  }
#define MINITORCH_BINARY(Op, function, name, domain, truth, formula, ...) formula
#define ARITHMETIC(function, formula)          \
  MINITORCH_ZIP_ROWS(float, function, formula) \
  MINITORCH_ZIP_ROWS(double, function, formula)
#define BOTH(...)
#define EACH(...)
#define WIDE(...)
#include "cpu/elementwise.inc"
#undef ARITHMETIC
#undef BOTH
#undef EACH
#undef WIDE
#undef MINITORCH_ZIP_ROWS
#undef MINITORCH_ZIP_ROW

}  // namespace minitorch::cpu

#include "cpu/lines.h"

#include <cstring>

#include "cpu/builds.h"

namespace minitorch::cpu {
namespace {

struct Sum {
  template <class V>
  [[gnu::always_inline]] static void join(V& a, const V& b) {
    a += b;
  }
};
struct Most {
  template <class V>
  [[gnu::always_inline]] static void join(V& a, const V& b) {
    a = a > b ? a : b;
  }
};

/// Cells joined in vectors, as wide as any processor has: it leaves no order of its own
/// to a compiler, so results are the same on all. Of a[i] * b[i] unless b is null.
template <class Join, class T>
[[gnu::always_inline]] inline T join_cells(const T* a, const T* b, int64_t count,
                                           T start) {
  constexpr int64_t kBytes = 64, kLanes = kBytes / sizeof(T), kVectors = 4;
  typedef T Vector __attribute__((vector_size(kBytes)));
  int64_t i = 0;
  T lanes[kLanes];
  if (count >= kLanes) {
    Vector found[kVectors], cells, others;
    for (Vector& each : found) each = Vector{} + start;
    const auto take = [&](Vector & into, int64_t at) __attribute__((always_inline)) {
      std::memcpy(&cells, a + at, kBytes);
      if (b) {
        std::memcpy(&others, b + at, kBytes);
        cells *= others;
      }
      Join::join(into, cells);
    };
    for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
      for (int64_t v = 0; v < kVectors; ++v) take(found[v], i + v * kLanes);
    }
    for (; i + kLanes <= count; i += kLanes) take(found[0], i);
    for (int64_t v = 1; v < kVectors; ++v) Join::join(found[0], found[v]);
    std::memcpy(lanes, &found[0], kBytes);
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t j = 0; j < half; ++j) Join::join(lanes[j], lanes[j + half]);
    }
  }
  T out = i > 0 ? lanes[0] : start;
  for (; i < count; ++i) {
    const T cell = b ? a[i] * b[i] : a[i];
    Join::join(out, cell);
  }
  return out;
}

}  // namespace

#define MINITORCH_LINE_STEPS(T)                                                        \
  MINITORCH_BUILDS void largest_of(const T* __restrict x, int64_t length,              \
                                   int64_t rows, T* __restrict largest) {              \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T* line = x + r * length;                                                  \
      largest[r] = join_cells<Most, T>(line, nullptr, length, line[0]);                \
    }                                                                                  \
  }                                                                                    \
  MINITORCH_BUILDS void shift_lines(const T* __restrict x, const T* __restrict by,     \
                                    int64_t length, int64_t rows, T* __restrict out) { \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T off = by[r];                                                             \
      for (int64_t i = r * length; i < (r + 1) * length; ++i) out[i] = x[i] - off;     \
    }                                                                                  \
  }                                                                                    \
  MINITORCH_BUILDS void scale_lines(T* __restrict out, const T* __restrict by,         \
                                    int64_t length, int64_t rows) {                    \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T factor = by[r];                                                          \
      for (int64_t i = r * length; i < (r + 1) * length; ++i) out[i] *= factor;        \
    }                                                                                  \
  }                                                                                    \
  MINITORCH_BUILDS void lower_lines(T* __restrict out, const T* __restrict by,         \
                                    int64_t length, int64_t rows) {                    \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T off = by[r];                                                             \
      for (int64_t i = r * length; i < (r + 1) * length; ++i) out[i] -= off;           \
    }                                                                                  \
  }                                                                                    \
  MINITORCH_BUILDS T sum_of_run(const T* __restrict a, int64_t count) {                \
    return join_cells<Sum, T>(a, nullptr, count, T(0));                                \
  }                                                                                    \
  MINITORCH_BUILDS T product_of_run(const T* __restrict a, const T* __restrict b,      \
                                    int64_t count) {                                   \
    return join_cells<Sum, T>(a, b, count, T(0));                                      \
  }                                                                                    \
  MINITORCH_BUILDS void plain_back(const T* __restrict g, const T* __restrict y,       \
                                   T sum, T* __restrict dx, int64_t count) {           \
    for (int64_t i = 0; i < count; ++i) dx[i] = y[i] * (g[i] - sum);                   \
  }                                                                                    \
  MINITORCH_BUILDS void logarithm_back(const T* __restrict g, const T* __restrict p,   \
                                       T sum, T* __restrict dx, int64_t count) {       \
    for (int64_t i = 0; i < count; ++i) dx[i] = g[i] - p[i] * sum;                     \
  }                                                                                    \
  MINITORCH_BUILDS void shift_columns(const T* __restrict x, const T* __restrict by,   \
                                      T* __restrict out, int64_t count) {              \
    for (int64_t i = 0; i < count; ++i) out[i] = x[i] - by[i];                         \
  }                                                                                    \
  MINITORCH_BUILDS void add_products(const T* __restrict a, const T* __restrict b,     \
                                     T* __restrict out, int64_t count) {               \
    for (int64_t i = 0; i < count; ++i) out[i] += a[i] * b[i];                         \
  }                                                                                    \
  MINITORCH_BUILDS void scale_columns(T* __restrict out, const T* __restrict by,       \
                                      int64_t count) {                                 \
    for (int64_t i = 0; i < count; ++i) out[i] *= by[i];                               \
  }                                                                                    \
  MINITORCH_BUILDS void lower_columns(T* __restrict out, const T* __restrict by,       \
                                      int64_t count) {                                 \
    for (int64_t i = 0; i < count; ++i) out[i] -= by[i];                               \
  }                                                                                    \
  MINITORCH_BUILDS void plain_back_columns(                                            \
      const T* __restrict g, const T* __restrict y, const T* __restrict sum,           \
      T* __restrict dx, int64_t count) {                                               \
    for (int64_t i = 0; i < count; ++i) dx[i] = y[i] * (g[i] - sum[i]);                \
  }                                                                                    \
  MINITORCH_BUILDS void logarithm_back_columns(                                        \
      const T* __restrict g, const T* __restrict p, const T* __restrict sum,           \
      T* __restrict dx, int64_t count) {                                               \
    for (int64_t i = 0; i < count; ++i) dx[i] = g[i] - p[i] * sum[i];                  \
  }
MINITORCH_LINE_STEPS(float)
MINITORCH_LINE_STEPS(double)
#undef MINITORCH_LINE_STEPS

}  // namespace minitorch::cpu

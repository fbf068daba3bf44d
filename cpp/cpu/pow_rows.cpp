// The loops of powers over contiguous rows, with short ways for common exponents.
#include <algorithm>
#include <limits>

#include "cpu/builds.h"
#include "cpu/rows.h"
#include "cpu/vector_pow.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kPiece = 512;  // elements without extremes are computed together

/// Up to kPiece powers of float. Several short loops: a processor sees only some
/// hundred instructions ahead, and finds more of them that need not wait for each
/// other.
MINITORCH_BUILDS void normal_powers(const float* a, const float* b, float* out,
                                    int64_t count) {
  double logs[kPiece];
  float powers[kPiece];
  for (int64_t i = 0; i < count; ++i) logs[i] = log_of_magnitude(a[i]);
  for (int64_t i = 0; i < count; ++i) powers[i] = rounded_exp(b[i] * logs[i]);
  for (int64_t i = 0; i < count; ++i) out[i] = with_sign_of_base(a[i], b[i], powers[i]);
}

MINITORCH_BUILDS bool any_is_extreme(const float* a, const float* b, int64_t count) {
  uint32_t extreme = 0;
  for (int64_t i = 0; i < count; ++i) extreme |= pow_is_extreme(a[i], b[i]);
  return extreme >> 31 != 0;
}

void pow_both(const float* a, const float* b, float* out, int64_t count) {
  for (int64_t first = 0; first < count; first += kPiece) {
    const int64_t part = std::min(kPiece, count - first);
    const float *x = a + first, *y = b + first;
    if (!any_is_extreme(x, y, part)) {
      normal_powers(x, y, out + first, part);
    } else {
      for (int64_t i = 0; i < part; ++i) out[first + i] = pow_straight(x[i], y[i]);
    }
  }
}

void pow_both(const double* a, const double* b, double* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = pow_straight(a[i], b[i]);
}

// Within 1.5 ulp of the power, which has neither -0 nor a NaN where a root of it would.
// `out` may be `x` itself.
#define MINITORCH_POWERS(T)                                                        \
  MINITORCH_BUILDS void squares(const T* x, T* out, int64_t count) {               \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] = x[i] * x[i]; \
  }                                                                                \
  MINITORCH_BUILDS void cubes(const T* x, T* out, int64_t count) {                 \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] =              \
        x[i] * x[i] * x[i];                                                        \
  }                                                                                \
  MINITORCH_BUILDS void inverses(const T* x, T* out, int64_t count) {              \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] = 1 / x[i];    \
  }                                                                                \
  MINITORCH_BUILDS void roots(const T* x, T* out, int64_t count) {                 \
    constexpr T kInfinity = std::numeric_limits<T>::infinity();                    \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] =              \
        x[i] == -kInfinity ? kInfinity : std::sqrt(x[i] + 0);                      \
  }                                                                                \
  MINITORCH_BUILDS void inverse_roots(const T* x, T* out, int64_t count) {         \
    constexpr T kInfinity = std::numeric_limits<T>::infinity();                    \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] =              \
        x[i] == -kInfinity ? 0 : 1 / std::sqrt(x[i] + 0);                          \
  }
MINITORCH_POWERS(float)
MINITORCH_POWERS(double)
#undef MINITORCH_POWERS

template <class T>
void ones(const T*, T* out, int64_t count) {
  std::fill_n(out, count, T(1));
}

/// The short way for this exponent, if there is one.
template <class T>
MapRow<T> short_way(T exponent) {
  if (exponent == 0) return ones;
  if (exponent == 2) return squares;
  if (exponent == 3) return cubes;
  if (exponent == -1) return inverses;
  if (exponent == T(0.5)) return roots;
  if (exponent == T(-0.5)) return inverse_roots;
  return nullptr;
}

template <class T>
void pow_left(const T* a, const T* b, T* out, int64_t count) {
  if (const MapRow<T> row = short_way(*b)) return row(a, out, count);
  T same[kPiece];
  std::fill_n(same, std::min(kPiece, count), *b);
  for (int64_t i = 0; i < count; i += kPiece)
    pow_both(a + i, same, out + i, std::min(kPiece, count - i));
}

template <class T>
void pow_right(const T* a, const T* b, T* out, int64_t count) {
  T same[kPiece];
  std::fill_n(same, std::min(kPiece, count), *a);
  for (int64_t i = 0; i < count; i += kPiece)
    pow_both(same, b + i, out + i, std::min(kPiece, count - i));
}

}  // namespace

ZipRows<float> pow_rows(const float*) {
  return {pow_both, pow_left<float>, pow_right<float>};
}
ZipRows<double> pow_rows(const double*) {
  return {pow_both, pow_left<double>, pow_right<double>};
}

}  // namespace minitorch::cpu

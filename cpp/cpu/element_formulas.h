// What the rows of elementwise.inc compute for one element on the host, and for which
// dtypes.
#pragma once

// Not <cmath>: formulas say sqrt(x), as CUDA C++ does, and mean that of x's type.
#include <math.h>

#include <limits>
#include <numbers>
#include <type_traits>

#include "cpu/builds.h"
#include "cpu/elementwise.h"
#include "cpu/rows.h"
#include "cpu/scalar_math.h"
#include "cpu/vector_activations.h"
#include "cpu/vector_circle.h"
#include "cpu/vector_pow.h"

namespace minitorch::cpu {

/// -x; that of the least integer wraps, as in NumPy.
template <class T>
T negative(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return -x;
  } else {
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
  }
}

/// |x|; that of the least integer wraps, as in NumPy.
template <class T>
T magnitude(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(x);
  } else {
    return x < T(0) ? negative(x) : x;
  }
}

/// Unlike `lgamma` without the shared sign of Γ, which threads would write at once.
inline float log_gamma(float x) {
  int sign;
  return lgammaf_r(x, &sign);
}
inline double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/// Γ'(x) / Γ(x): reflected to x > 0, shifted to x >= 10, then by Stirling's series.
template <class T>
T digamma_of(T x) {
  if (x == 0) return T(-1) / x;
  T sum = 0;
  if (x < 0) {
    if (x == floor(x)) return std::numeric_limits<T>::quiet_NaN();
    sum = -std::numbers::pi_v<T> / tan(std::numbers::pi_v<T> * (x - floor(x)));
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum -= 1 / x;
  const T t = 1 / (x * x);
  const T series =
      t * (T(1) / 12 -
           t * (T(1) / 120 -
                t * (T(1) / 252 -
                     t * (T(1) / 240 - t * (T(1) / 132 - t * T(691) / 32760)))));
  return sum + log(x) - T(0.5) / x - series;
}

/// What the row of an op says about it: `of` makes one element; `row` or `rows`, if
/// there is one, the same of contiguous elements.
template <Unary op>
struct UnaryFormula;
template <Binary op>
struct BinaryFormula;
template <Compare op>
struct CompareFormula;

#define MINITORCH_UNARY(Op, function, name, where, formula, ...) \
  template <>                                                    \
  struct UnaryFormula<Unary::Op> {                               \
    static constexpr Domain domain = Domain::where;              \
    formula                                                      \
  };
#define BOTH(...)                                \
  template <class Scalar>                        \
  MINITORCH_INLINED static Scalar of(Scalar x) { \
    return Scalar(__VA_ARGS__);                  \
  }
#define EACH(formula, code) BOTH(formula)
#define STRAIGHT(function, code)                       \
  BOTH(function##_straight(x))                         \
  template <class T>                                   \
  static void row(const T* x, T* out, int64_t count) { \
    function##_row(x, out, count);                     \
  }
#include "cpu/elementwise.inc"
#undef BOTH
#undef STRAIGHT

#define MINITORCH_BINARY(Op, function, name, where, truth, formula, ...) \
  template <>                                                            \
  struct BinaryFormula<Binary::Op> {                                     \
    static constexpr Domain domain = Domain::where;                      \
    formula                                                              \
  };
#define BOTH(...)                                          \
  template <class Scalar>                                  \
  MINITORCH_INLINED static Scalar of(Scalar a, Scalar b) { \
    return Scalar(__VA_ARGS__);                            \
  }
// Signed overflow wraps as in NumPy, which plain C++ leaves undefined.
#define ARITHMETIC(formula)                                   \
  template <class T>                                          \
  MINITORCH_INLINED static auto plain(T a, T b) {             \
    return formula;                                           \
  }                                                           \
  template <class T>                                          \
  MINITORCH_INLINED static T of(T a, T b) {                   \
    if constexpr (std::is_integral_v<T>) {                    \
      using Wrapping = std::make_unsigned_t<T>;               \
      return static_cast<T>(plain(Wrapping(a), Wrapping(b))); \
    } else {                                                  \
      return plain(a, b);                                     \
    }                                                         \
  }
#define WIDE(formula, of_integers)                         \
  template <class Scalar>                                  \
  MINITORCH_INLINED static Scalar of(Scalar a, Scalar b) { \
    if constexpr (std::is_integral_v<Scalar>) {            \
      using Wide = int64_t;                                \
      return Scalar(of_integers);                          \
    } else {                                               \
      return formula;                                      \
    }                                                      \
  }
#define STRAIGHT_WIDE(function, formula, of_integers)       \
  WIDE(formula, of_integers)                                \
  template <class T>                                        \
  static ZipRows<T> rows() {                                \
    return function##_rows(static_cast<const T*>(nullptr)); \
  }
#include "cpu/elementwise.inc"
#undef BOTH
#undef EACH
#undef ARITHMETIC
#undef WIDE
#undef STRAIGHT_WIDE

#define MINITORCH_COMPARE(Op, name, formula) \
  template <>                                \
  struct CompareFormula<Compare::Op> {       \
    formula                                  \
  };
#define BOTH(...)                      \
  template <class Source>              \
  static bool of(Source a, Source b) { \
    return __VA_ARGS__;                \
  }
#include "cpu/elementwise.inc"
#undef BOTH

}  // namespace minitorch::cpu

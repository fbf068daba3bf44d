// Owns the host loops of the elementwise ops: which loop each formula gets.
#include "cpu/elementwise.h"

// Not <cmath>: formulas say sqrt(x), as CUDA C++ does, and mean that of x's type.
#include <math.h>

#include <limits>
#include <numbers>
#include <type_traits>

#include "base/loop_watch.h"
#include "cpu/rows.h"
#include "cpu/scalar_math.h"
#include "cpu/vector_math.h"

namespace minitorch::cpu {
namespace {

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

template <class T>
constexpr T kRootTwoOverPi = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;

/// What the row of an op says about it: `of` makes one element; `row`, if there is one,
/// or `rows` the same of contiguous elements.
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
#define BOTH(...)              \
  template <class Scalar>      \
  static Scalar of(Scalar x) { \
    return __VA_ARGS__;        \
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
#define BOTH(...)                        \
  template <class Scalar>                \
  static Scalar of(Scalar a, Scalar b) { \
    return Scalar(__VA_ARGS__);          \
  }
// Signed overflow wraps as in NumPy, which plain C++ leaves undefined.
#define ARITHMETIC(function, formula)                         \
  template <class T>                                          \
  static auto plain(T a, T b) {                               \
    return formula;                                           \
  }                                                           \
  template <class T>                                          \
  static T of(T a, T b) {                                     \
    if constexpr (std::is_integral_v<T>) {                    \
      using Wrapping = std::make_unsigned_t<T>;               \
      return static_cast<T>(plain(Wrapping(a), Wrapping(b))); \
    } else {                                                  \
      return plain(a, b);                                     \
    }                                                         \
  }                                                           \
  template <class T>                                          \
    requires std::is_floating_point_v<T>                      \
  static ZipRows<T> rows() {                                  \
    return function##_rows(static_cast<const T*>(nullptr));   \
  }
#define WIDE(formula, of_integers)              \
  template <class Scalar>                       \
  static Scalar of(Scalar a, Scalar b) {        \
    if constexpr (std::is_integral_v<Scalar>) { \
      using Wide = int64_t;                     \
      return Scalar(of_integers);               \
    } else {                                    \
      return formula;                           \
    }                                           \
  }
#include "cpu/elementwise.inc"
#undef BOTH
#undef EACH
#undef ARITHMETIC
#undef WIDE

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

/// Is the op built for several instruction sets, in loops that may work in place?
template <class Formula>
constexpr bool kHasRows = requires { Formula::template rows<float>(); };

/// These cost several times as much as an addition.
constexpr size_t kHeavyGrain = kGrain / 4;

template <class Formula, class T>
void straight_loop(std::span<const int64_t> shape, Strided<const T> a, Strided<T> out) {
  auto nest = make_nest<2>(shape, {a.strides, out.strides});
  const int64_t sa = nest.row_stride(0), so = nest.row_stride(1);
  for_rows_parallel(nest, kHeavyGrain, [=](const auto& at, int64_t n) {
    const T* x = a.data + at[0];
    T* y = out.data + at[1];
    if (sa == 1 && so == 1) return Formula::row(x, y, n);
    for (int64_t i = 0; i < n; ++i) y[i * so] = Formula::of(x[i * sa]);
  });
}

template <class Formula, class T>
void rows_loop(std::span<const int64_t> shape, Strided<const T> a, Strided<const T> b,
               Strided<T> out) {
  const ZipRows<T> rows = Formula::template rows<T>();
  auto nest = make_nest<3>(shape, {a.strides, b.strides, out.strides});
  const int64_t sa = nest.row_stride(0), sb = nest.row_stride(1),
                so = nest.row_stride(2);
  for_rows_parallel(nest, kGrain, [=](const auto& at, int64_t n) {
    const T *x = a.data + at[0], *y = b.data + at[1];
    T* z = out.data + at[2];
    if (so == 1 && sa == 1 && sb == 1) return rows.both(x, y, z, n);
    if (so == 1 && sa == 1 && sb == 0) return rows.left(x, y, z, n);
    if (so == 1 && sa == 0 && sb == 1) return rows.right(x, y, z, n);
    for (int64_t i = 0; i < n; ++i) z[i * so] = Formula::of(x[i * sa], y[i * sb]);
  });
}

template <class Formula, class T>
void map_elements(std::span<const int64_t> shape, Strided<const T> a, Strided<T> out) {
  constexpr bool integers = std::is_integral_v<T>;
  if constexpr (integers && Formula::domain == Domain::Whole) {
    map_loop<T>(shape, a, out, [](T x) { return x; });
  } else if constexpr (integers && Formula::domain == Domain::Real) {
    return;
  } else if constexpr (requires(const T* x, T* y) { Formula::row(x, y, 1); }) {
    straight_loop<Formula, T>(shape, a, out);
  } else {
    map_loop<T>(shape, a, out, [](T x) { return Formula::of(x); });
  }
}

template <class Formula, class T>
void zip_elements(std::span<const int64_t> shape, Strided<const T> a,
                  Strided<const T> b, Strided<T> out) {
  constexpr Domain lacking = std::is_integral_v<T> ? Domain::Real : Domain::Integer;
  if constexpr (Formula::domain == lacking) {
    return;
  } else if constexpr (requires { Formula::template rows<T>(); }) {
    rows_loop<Formula, T>(shape, a, b, out);
  } else {
    zip_loop<T>(shape, a, b, out, [](T x, T y) { return Formula::of(x, y); });
  }
}

}  // namespace

template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out) {
  const base::HostLoop loop("unary");
  switch (op) {
#define MINITORCH_UNARY(Op, ...) \
  case Unary::Op:                \
    return map_elements<UnaryFormula<Unary::Op>, T>(shape, a, out);
#include "cpu/elementwise.inc"
  }
}

bool works_in_place(Binary op) {
  switch (op) {
#define MINITORCH_BINARY(Op, ...) \
  case Binary::Op:                \
    return kHasRows<BinaryFormula<Binary::Op>>;
#include "cpu/elementwise.inc"
  }
  return false;
}

template <class T>
void binary(Binary op, std::span<const int64_t> shape, Strided<const T> a,
            Strided<const T> b, Strided<T> out) {
  const base::HostLoop loop("binary");
  switch (op) {
#define MINITORCH_BINARY(Op, ...) \
  case Binary::Op:                \
    return zip_elements<BinaryFormula<Binary::Op>, T>(shape, a, b, out);
#include "cpu/elementwise.inc"
  }
}

template <class T>
void compare(Compare op, std::span<const int64_t> shape, Strided<const T> a,
             Strided<const T> b, Strided<bool> out) {
  const base::HostLoop loop("compare");
  switch (op) {
#define MINITORCH_COMPARE(Op, ...)                      \
  case Compare::Op:                                     \
    return zip_loop<T>(shape, a, b, out, [](T x, T y) { \
      return CompareFormula<Compare::Op>::of(x, y);     \
    });
#include "cpu/elementwise.inc"
  }
}

template <class T>
void order(Compare op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<const T> b, Strided<T> out) {
  const base::HostLoop loop("order");
  switch (op) {
#define MINITORCH_COMPARE(Op, ...)                                  \
  case Compare::Op:                                                 \
    return zip_loop<T>(shape, a, b, out, [](T x, T y) {             \
      return static_cast<T>(CompareFormula<Compare::Op>::of(x, y)); \
    });
#include "cpu/elementwise.inc"
  }
}

template void order<float>(Compare, std::span<const int64_t>, Strided<const float>,
                           Strided<const float>, Strided<float>);
template void order<double>(Compare, std::span<const int64_t>, Strided<const double>,
                            Strided<const double>, Strided<double>);

#define MINITORCH_ELEMENTWISE(T)                                                \
  template void unary<T>(Unary, std::span<const int64_t>, Strided<const T>,     \
                         Strided<T>);                                           \
  template void binary<T>(Binary, std::span<const int64_t>, Strided<const T>,   \
                          Strided<const T>, Strided<T>);                        \
  template void compare<T>(Compare, std::span<const int64_t>, Strided<const T>, \
                           Strided<const T>, Strided<bool>);
MINITORCH_ELEMENTWISE(float)
MINITORCH_ELEMENTWISE(double)
MINITORCH_ELEMENTWISE(int32_t)
MINITORCH_ELEMENTWISE(int64_t)
MINITORCH_ELEMENTWISE(uint8_t)
#undef MINITORCH_ELEMENTWISE

}  // namespace minitorch::cpu

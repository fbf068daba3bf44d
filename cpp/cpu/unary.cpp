// Owns the host loops of the unary elementwise functions.
#include "cpu/unary.h"

#include <cmath>
#include <numbers>
#include <type_traits>

#include "cpu/rows.h"
#include "cpu/vector_math.h"

namespace minitorch::cpu {
namespace {

/// These cost several times as much as an addition.
constexpr size_t kHeavyGrain = kGrain / 4;

/// `row` computes the same as `f`, for contiguous elements.
template <class T, class F>
void straight_loop(std::span<const int64_t> shape, Strided<const T> a, Strided<T> out,
                   void (*row)(const T*, T*, int64_t), F f) {
  auto nest = make_nest<2>(shape, {a.strides, out.strides});
  const int64_t sa = nest.row_stride(0), so = nest.row_stride(1);
  for_rows_parallel(nest, kHeavyGrain, [=](const auto& at, int64_t n) {
    const T* x = a.data + at[0];
    T* y = out.data + at[1];
    if (sa == 1 && so == 1) return row(x, y, n);
    for (int64_t i = 0; i < n; ++i) y[i * so] = f(x[i * sa]);
  });
}

template <class T>
T gelu(T x) {
  return x * T(0.5) * (T(1) + std::erf(x * std::numbers::sqrt2_v<T> / 2));
}

template <class T>
T gelu_tanh(T x) {
  constexpr T kScale = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
  return x * T(0.5) * (T(1) + tanh_straight(kScale * (x + T(0.044715) * x * x * x)));
}

template <class T>
void real_unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
                Strided<T> out) {
  auto run = [&](auto f) { map_loop<T>(shape, a, out, f); };
  switch (op) {
    case Unary::Sigmoid:
      return straight_loop<T>(shape, a, out, sigmoid_row,
                              [](T x) { return sigmoid_straight(x); });
    case Unary::Exp:
      return straight_loop<T>(shape, a, out, exp_row,
                              [](T x) { return exp_straight(x); });
    case Unary::Log:
      return straight_loop<T>(shape, a, out, log_row,
                              [](T x) { return log_straight(x); });
    case Unary::Sqrt:
      return run([](T x) { return std::sqrt(x); });
    case Unary::Tanh:
      return straight_loop<T>(shape, a, out, tanh_row,
                              [](T x) { return tanh_straight(x); });
    case Unary::Reciprocal:
      return run([](T x) { return T(1) / x; });
    case Unary::Rsqrt:
      return run([](T x) { return T(1) / std::sqrt(x); });
    case Unary::Floor:
      return run([](T x) { return std::floor(x); });
    case Unary::Ceil:
      return run([](T x) { return std::ceil(x); });
    case Unary::Round:
      return run([](T x) { return std::nearbyint(x); });
    case Unary::Sin:
      return run([](T x) { return std::sin(x); });
    case Unary::Cos:
      return run([](T x) { return std::cos(x); });
    case Unary::Erf:
      return run([](T x) { return std::erf(x); });
    case Unary::Gelu:
      return run([](T x) { return gelu(x); });
    case Unary::GeluTanh:
      return run([](T x) { return gelu_tanh(x); });
    case Unary::Silu:
      return run([](T x) { return x * sigmoid_straight(x); });
    default:
      return;
  }
}

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

}  // namespace

template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out) {
  auto run = [&](auto f) { map_loop<T>(shape, a, out, f); };
  switch (op) {
    case Unary::Neg:
      return run([](T x) { return negative(x); });
    case Unary::Abs:
      return run([](T x) { return magnitude(x); });
    // A NaN stays a NaN: it is not below 0.
    case Unary::Relu:
      return run([](T x) { return x < 0 ? T(0) : x; });
    case Unary::Sign:
      return run([](T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x; });
    default:
      if constexpr (std::is_floating_point_v<T>)
        return real_unary<T>(op, shape, a, out);
      return run([](T x) { return x; });  // whole numbers need no rounding
  }
}

#define MINITORCH_UNARY(T) \
  template void unary<T>(Unary, std::span<const int64_t>, Strided<const T>, Strided<T>);
MINITORCH_UNARY(float)
MINITORCH_UNARY(double)
MINITORCH_UNARY(int32_t)
MINITORCH_UNARY(int64_t)
MINITORCH_UNARY(uint8_t)
#undef MINITORCH_UNARY

}  // namespace minitorch::cpu

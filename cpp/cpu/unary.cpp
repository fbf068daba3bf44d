// Owns the host loops of the unary elementwise functions.
#include "cpu/unary.h"

#include <cmath>
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
      return run([](T x) { return std::tanh(x); });
    case Unary::Reciprocal:
      return run([](T x) { return T(1) / x; });
    default:
      return;
  }
}

}  // namespace

template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out) {
  auto run = [&](auto f) { map_loop<T>(shape, a, out, f); };
  switch (op) {
    case Unary::Neg:
      return run([](T x) { return T(-x); });
    case Unary::Abs:
      return run([](T x) { return T(std::abs(x)); });
    // A NaN stays a NaN: it is not below 0.
    case Unary::Relu:
      return run([](T x) { return x < 0 ? T(0) : x; });
    default:
      if constexpr (std::is_floating_point_v<T>) real_unary<T>(op, shape, a, out);
  }
}

#define MINITORCH_UNARY(T) \
  template void unary<T>(Unary, std::span<const int64_t>, Strided<const T>, Strided<T>);
MINITORCH_UNARY(float)
MINITORCH_UNARY(double)
MINITORCH_UNARY(int32_t)
MINITORCH_UNARY(int64_t)
#undef MINITORCH_UNARY

}  // namespace minitorch::cpu

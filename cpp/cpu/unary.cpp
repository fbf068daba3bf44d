// Owns the host loops of the unary elementwise functions.
#include "cpu/unary.h"

#include <cmath>
#include <type_traits>

namespace minitorch::cpu {
namespace {

/// Both branches compute exp of a value <= 0, so nothing overflows.
template <class T>
T sigmoid(T x) {
  const T e = std::exp(x > 0 ? -x : x);
  return (x >= 0 ? T(1) : e) / (1 + e);
}

template <class T>
void real_unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
                Strided<T> out) {
  auto run = [&](auto f) { map_loop<T>(shape, a, out, f); };
  switch (op) {
    case Unary::Sigmoid:
      return run([](T x) { return sigmoid(x); });
    case Unary::Exp:
      return run([](T x) { return std::exp(x); });
    case Unary::Log:
      return run([](T x) { return std::log(x); });
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

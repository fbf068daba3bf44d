// Owns the host loops of the binary elementwise functions.
#include "cpu/binary.h"

#include <cmath>
#include <type_traits>

#include "cpu/scalar_math.h"

namespace minitorch::cpu {
namespace {

/// Signed overflow wraps as in NumPy, which plain C++ leaves undefined.
template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

template <class T>
T maximum(T a, T b) {
  return (a > b) | (a != a) ? a : b;  // a NaN on either side wins, as in NumPy
}

template <class T>
T minimum(T a, T b) {
  return (a < b) | (a != a) ? a : b;
}

template <class T, class Run>
void integer_binary(Binary op, Run run) {
  switch (op) {
    case Binary::FloorDiv:
      return run([](T a, T b) { return T(floor_divide(int64_t(a), int64_t(b))); });
    case Binary::Mod:
      return run([](T a, T b) { return T(floor_modulo(int64_t(a), int64_t(b))); });
    case Binary::Pow:
      return run([](T a, T b) { return T(power(int64_t(a), int64_t(b))); });
    case Binary::And:
      return run([](T a, T b) { return T(a & b); });
    case Binary::Or:
      return run([](T a, T b) { return T(a | b); });
    case Binary::Xor:
      return run([](T a, T b) { return T(a ^ b); });
    default:
      return;
  }
}

template <class T, class Run>
void real_binary(Binary op, Run run) {
  switch (op) {
    case Binary::Div:
      return run([](T a, T b) { return a / b; });
    case Binary::FloorDiv:
      return run([](T a, T b) { return floor_divide(a, b); });
    case Binary::Mod:
      return run([](T a, T b) { return floor_modulo(a, b); });
    case Binary::Pow:
      return run([](T a, T b) { return std::pow(a, b); });
    case Binary::ReluGrad:
      return run([](T x, T d) { return x > 0 ? d : T(0); });
    case Binary::SigmoidGrad:
      return run([](T y, T d) { return d * y * (1 - y); });
    case Binary::TanhGrad:
      return run([](T y, T d) { return d * (1 - y * y); });
    default:
      return;
  }
}

}  // namespace

template <class T>
void binary(Binary op, std::span<const int64_t> shape, Strided<const T> a,
            Strided<const T> b, Strided<T> out) {
  auto run = [&](auto f) { zip_loop<T>(shape, a, b, out, f); };
  auto plus = [](auto x, auto y) { return x + y; };
  auto minus = [](auto x, auto y) { return x - y; };
  auto times = [](auto x, auto y) { return x * y; };
  switch (op) {
    case Binary::Add:
      return run([=](T x, T y) { return wrapping(x, y, plus); });
    case Binary::Sub:
      return run([=](T x, T y) { return wrapping(x, y, minus); });
    case Binary::Mul:
      return run([=](T x, T y) { return wrapping(x, y, times); });
    case Binary::Maximum:
      return run([](T x, T y) { return maximum(x, y); });
    case Binary::Minimum:
      return run([](T x, T y) { return minimum(x, y); });
    default:
      if constexpr (std::is_floating_point_v<T>) return real_binary<T>(op, run);
      if constexpr (std::is_integral_v<T>) return integer_binary<T>(op, run);
  }
}

#define MINITORCH_BINARY(T)                                                   \
  template void binary<T>(Binary, std::span<const int64_t>, Strided<const T>, \
                          Strided<const T>, Strided<T>);
MINITORCH_BINARY(float)
MINITORCH_BINARY(double)
MINITORCH_BINARY(int32_t)
MINITORCH_BINARY(int64_t)
MINITORCH_BINARY(uint8_t)
#undef MINITORCH_BINARY

}  // namespace minitorch::cpu

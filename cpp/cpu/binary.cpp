// Owns the host loops of the binary elementwise functions.
#include "cpu/binary.h"

#include <cmath>
#include <type_traits>

#include "cpu/scalar_math.h"
#include "cpu/zip_rows.h"

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

/// `rows` computes the same as `f`, for contiguous elements.
template <class T, class F>
void row_loop(std::span<const int64_t> shape, Strided<const T> a, Strided<const T> b,
              Strided<T> out, ZipRows<T> rows, F f) {
  auto nest = make_nest<3>(shape, {a.strides, b.strides, out.strides});
  const int64_t sa = nest.row_stride(0), sb = nest.row_stride(1),
                so = nest.row_stride(2);
  for_rows_parallel(nest, kGrain, [=](const auto& at, int64_t n) {
    const T *x = a.data + at[0], *y = b.data + at[1];
    T* z = out.data + at[2];
    if (so == 1 && sa == 1 && sb == 1) return rows.both(x, y, z, n);
    if (so == 1 && sa == 1 && sb == 0) return rows.left(x, y, z, n);
    if (so == 1 && sa == 0 && sb == 1) return rows.right(x, y, z, n);
    for (int64_t i = 0; i < n; ++i) z[i * so] = f(x[i * sa], y[i * sb]);
  });
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
  if constexpr (std::is_floating_point_v<T>) {
    const T* type = nullptr;
    auto rows = [&](auto table, auto f) { row_loop<T>(shape, a, b, out, table, f); };
    switch (op) {
      case Binary::Add:
        return rows(add_rows(type), plus);
      case Binary::Sub:
        return rows(sub_rows(type), minus);
      case Binary::Mul:
        return rows(mul_rows(type), times);
      case Binary::Div:
        return rows(div_rows(type), [](T x, T y) { return x / y; });
      default:
        break;
    }
  }
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

// The typed loops of elementwise functions: one row at a time, unit strides apart so
// that the compiler vectorises them.
#pragma once

#include "cpu/loop_nest.h"

namespace minitorch::cpu {

/// A strided operand: first element and element strides, one per dimension.
template <class T>
struct Strided {
  T* data;
  std::span<const int64_t> strides;
};

/// out[i] = f(a[i]) over `shape`.
template <class T, class F>
void map_loop(std::span<const int64_t> shape, Strided<const T> a, Strided<T> out, F f) {
  auto nest = make_nest<2>(shape, {a.strides, out.strides});
  const int64_t sa = nest.row_stride(0), so = nest.row_stride(1);
  for_rows_parallel(nest, kGrain, [=](const auto& at, int64_t n) {
    const T* __restrict x = a.data + at[0];
    T* __restrict y = out.data + at[1];
    if (sa == 1 && so == 1) {
      for (int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i * so] = f(x[i * sa]);
    }
  });
}

/// out[i] = f(a[i], b[i]) over `shape`; either input may be broadcast (stride 0).
template <class T, class Out, class F>
void zip_loop(std::span<const int64_t> shape, Strided<const T> a, Strided<const T> b,
              Strided<Out> out, F f) {
  auto nest = make_nest<3>(shape, {a.strides, b.strides, out.strides});
  const int64_t sa = nest.row_stride(0), sb = nest.row_stride(1),
                so = nest.row_stride(2);
  for_rows_parallel(nest, kGrain, [=](const auto& at, int64_t n) {
    const T* __restrict x = a.data + at[0];
    const T* __restrict y = b.data + at[1];
    Out* __restrict z = out.data + at[2];
    if (sa == 1 && sb == 1 && so == 1) {
      for (int64_t i = 0; i < n; ++i) z[i] = f(x[i], y[i]);
    } else if (sa == 1 && sb == 0 && so == 1) {
      const T right = *y;
      for (int64_t i = 0; i < n; ++i) z[i] = f(x[i], right);
    } else if (sa == 0 && sb == 1 && so == 1) {
      const T left = *x;
      for (int64_t i = 0; i < n; ++i) z[i] = f(left, y[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) z[i * so] = f(x[i * sa], y[i * sb]);
    }
  });
}

}  // namespace minitorch::cpu

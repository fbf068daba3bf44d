#include "cpu/where.h"

#include "base/loop_watch.h"

namespace minitorch::cpu {

template <class T>
void where(std::span<const int64_t> shape, Strided<const bool> condition,
           Strided<const T> a, Strided<const T> b, Strided<T> out) {
  const base::HostLoop loop("where");
  auto nest =
      make_nest<4>(shape, {condition.strides, a.strides, b.strides, out.strides});
  const int64_t sc = nest.row_stride(0), sa = nest.row_stride(1),
                sb = nest.row_stride(2), so = nest.row_stride(3);
  for_rows_parallel(nest, kGrain, [=](const auto& at, int64_t n) {
    const bool* chosen = condition.data + at[0];
    const T* x = a.data + at[1];
    const T* y = b.data + at[2];
    T* z = out.data + at[3];
    if (sc == 1 && sa == 1 && sb == 1 && so == 1) {
      for (int64_t i = 0; i < n; ++i) z[i] = chosen[i] ? x[i] : y[i];
    } else {
      for (int64_t i = 0; i < n; ++i) {
        z[i * so] = chosen[i * sc] ? x[i * sa] : y[i * sb];
      }
    }
  });
}

#define MINITORCH_WHERE(T)                                              \
  template void where<T>(std::span<const int64_t>, Strided<const bool>, \
                         Strided<const T>, Strided<const T>, Strided<T>);
MINITORCH_WHERE(uint8_t)
MINITORCH_WHERE(uint16_t)
MINITORCH_WHERE(uint32_t)
MINITORCH_WHERE(uint64_t)
#undef MINITORCH_WHERE

}  // namespace minitorch::cpu

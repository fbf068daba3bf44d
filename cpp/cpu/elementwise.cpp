#include "cpu/elementwise.h"

#include <algorithm>
#include <type_traits>

#include "base/loop_watch.h"
#include "cpu/element_formulas.h"
#include "cpu/element_rows.h"
#include "cpu/half_rows.h"

namespace minitorch::cpu {
namespace {

/// Functions of real numbers cost several times as much as an addition.
constexpr size_t kHeavyGrain = kGrain / 4;

/// What floats are computed in: those of 16 bits in float.
template <class T>
using Working = std::conditional_t<kIsHalf<T>, float, T>;

/// Elements that are widened, gathered or scattered together, in the first cache.
constexpr int64_t kBlock = 512;

/// `count` elements as rows read them: themselves, or in `buffer`.
template <class T>
const Working<T>* read(const T* from, int64_t stride, int64_t count,
                       Working<T>* buffer) {
  if constexpr (kIsHalf<T>) {
    if (stride == 1) {
      widen_row(from, buffer, count);
      return buffer;
    }
  } else {
    if (stride == 1) return from;
  }
  for (int64_t i = 0; i < count; ++i) buffer[i] = Working<T>(from[i * stride]);
  return buffer;
}

/// The elements of `buffer` to their places.
template <class T>
void write(const Working<T>* buffer, int64_t count, T* to, int64_t stride) {
  if constexpr (kIsHalf<T>) {
    if (stride == 1) return narrow_row(buffer, to, count);
  }
  for (int64_t i = 0; i < count; ++i) to[i * stride] = T(buffer[i]);
}

template <class T>
void map_rows(MapRow<Working<T>> row, size_t grain, std::span<const int64_t> shape,
              Strided<const T> a, Strided<T> out) {
  auto nest = make_nest<2>(shape, {a.strides, out.strides});
  const int64_t sa = nest.row_stride(0), so = nest.row_stride(1);
  for_rows_parallel(nest, grain, [=](const auto& at, int64_t n) {
    const T* x = a.data + at[0];
    T* y = out.data + at[1];
    if constexpr (!kIsHalf<T>) {
      if (sa == 1 && so == 1) return row(x, y, n);
    }
    Working<T> from[kBlock], to[kBlock];
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t count = std::min(kBlock, n - i);
      row(read(x + i * sa, sa, count, from), to, count);
      write(to, count, y + i * so, so);
    }
  });
}

/// One of the sides as rows read it; of a single number, that number.
template <class T>
struct ZipSide {
  const T* data;
  int64_t stride;
  bool single;

  const Working<T>* at(int64_t i, int64_t count, Working<T>* buffer) const {
    return read(data + i * stride, stride, single ? 1 : count, buffer);
  }
};

template <class T>
void zip_blocks(typename ZipRows<Working<T>>::Row row, ZipSide<T> a, ZipSide<T> b,
                T* out, int64_t stride, int64_t n) {
  Working<T> left[kBlock], right[kBlock], to[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    row(a.at(i, count, left), b.at(i, count, right), to, count);
    write(to, count, out + i * stride, stride);
  }
}

template <class T>
void zip_with_rows(const ZipRows<Working<T>>& rows, size_t grain,
                   std::span<const int64_t> shape, Strided<const T> a,
                   Strided<const T> b, Strided<T> out) {
  auto nest = make_nest<3>(shape, {a.strides, b.strides, out.strides});
  const int64_t sa = nest.row_stride(0), sb = nest.row_stride(1),
                so = nest.row_stride(2);
  const bool left = sb == 0 && sa != 0, right = sa == 0 && sb != 0;
  const auto row = left ? rows.left : right ? rows.right : rows.both;
  const bool direct = !kIsHalf<T> && so == 1 && (sa == 1 || right) && (sb == 1 || left);
  for_rows_parallel(nest, grain, [=](const auto& at, int64_t n) {
    const T *x = a.data + at[0], *y = b.data + at[1];
    T* z = out.data + at[2];
    if constexpr (!kIsHalf<T>) {
      if (direct) return row(x, y, z, n);
    }
    zip_blocks<T>(row, {x, sa, right}, {y, sb, left}, z, so, n);
  });
}

template <class Formula, class T>
void map_integers(std::span<const int64_t> shape, Strided<const T> a, Strided<T> out) {
  if constexpr (Formula::domain == Domain::Whole) {
    map_loop<T>(shape, a, out, [](T x) { return x; });
  } else if constexpr (Formula::domain != Domain::Real) {
    map_loop<T>(shape, a, out, [](T x) { return Formula::of(x); });
  }
}

template <class Formula, class T>
void zip_integers(std::span<const int64_t> shape, Strided<const T> a,
                  Strided<const T> b, Strided<T> out) {
  if constexpr (Formula::domain != Domain::Real) {
    zip_loop<T>(shape, a, b, out, [](T x, T y) { return Formula::of(x, y); });
  }
}

constexpr Domain kUnaryDomains[] = {
#define MINITORCH_UNARY(Op, function, name, domain, ...) Domain::domain,
#include "cpu/elementwise.inc"
};

}  // namespace

template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out) {
  const base::HostLoop loop("unary");
  if constexpr (kIsHalf<T>) {
    // A sign needs no arithmetic.
    if (op == Unary::Neg) {
      return map_loop<T>(shape, a, out, [](T x) {
        x.bits ^= 0x8000u;
        return x;
      });
    }
  }
  if constexpr (!std::is_integral_v<T>) {
    const bool heavy = kUnaryDomains[static_cast<size_t>(op)] == Domain::Real;
    map_rows<T>(map_row<Working<T>>(op), heavy ? kHeavyGrain : kGrain, shape, a, out);
  } else {
    switch (op) {
#define MINITORCH_UNARY(Op, ...) \
  case Unary::Op:                \
    return map_integers<UnaryFormula<Unary::Op>, T>(shape, a, out);
#include "cpu/elementwise.inc"
    }
  }
}

bool works_in_place(Binary op) { return zip_rows<float>(op).both != nullptr; }

template <class T>
void binary(Binary op, std::span<const int64_t> shape, Strided<const T> a,
            Strided<const T> b, Strided<T> out) {
  const base::HostLoop loop("binary");
  if constexpr (!std::is_integral_v<T>) {
    const size_t grain = op == Binary::Pow ? kHeavyGrain : kGrain;
    zip_with_rows<T>(zip_rows<Working<T>>(op), grain, shape, a, b, out);
  } else {
    switch (op) {
#define MINITORCH_BINARY(Op, ...) \
  case Binary::Op:                \
    return zip_integers<BinaryFormula<Binary::Op>, T>(shape, a, b, out);
#include "cpu/elementwise.inc"
    }
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

#define MINITORCH_ELEMENTS(T)                                                 \
  template void unary<T>(Unary, std::span<const int64_t>, Strided<const T>,   \
                         Strided<T>);                                         \
  template void binary<T>(Binary, std::span<const int64_t>, Strided<const T>, \
                          Strided<const T>, Strided<T>);
#define MINITORCH_COMPARED(T)                                                   \
  MINITORCH_ELEMENTS(T)                                                         \
  template void compare<T>(Compare, std::span<const int64_t>, Strided<const T>, \
                           Strided<const T>, Strided<bool>);
MINITORCH_COMPARED(float)
MINITORCH_COMPARED(double)
MINITORCH_ELEMENTS(Float16)
MINITORCH_ELEMENTS(BFloat16)
MINITORCH_COMPARED(int32_t)
MINITORCH_COMPARED(int64_t)
MINITORCH_COMPARED(uint8_t)
#undef MINITORCH_COMPARED
#undef MINITORCH_ELEMENTS

}  // namespace minitorch::cpu

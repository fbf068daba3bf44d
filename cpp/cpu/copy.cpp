#include "cpu/copy.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/loop_watch.h"
#include "cpu/half_rows.h"

namespace minitorch::cpu {
namespace {

template <class From, class To>
void copy_rows(const LoopNest<2>& nest, const From* a, To* out) {
  const int64_t sa = nest.row_stride(0), so = nest.row_stride(1);
  for_rows_parallel(nest, kGrain, [=](const auto& at, int64_t n) {
    const From* x = a + at[0];
    To* y = out + at[1];
    if (sa == 1 && so == 1) {
      if constexpr (std::is_same_v<From, To>) {
        std::memcpy(y, x, static_cast<size_t>(n) * sizeof(To));
      } else if constexpr (kIsHalf<From> && std::is_same_v<To, float>) {
        widen_row(x, y, n);
      } else if constexpr (std::is_same_v<From, float> && kIsHalf<To>) {
        narrow_row(x, y, n);
      } else {
        for (int64_t i = 0; i < n; ++i) y[i] = static_cast<To>(x[i]);
      }
    } else if (sa == 0 && so == 1) {
      std::fill_n(y, n, static_cast<To>(*x));
    } else {
      for (int64_t i = 0; i < n; ++i) y[i * so] = static_cast<To>(x[i * sa]);
    }
  });
}

// Elements of 4 and 8 bytes are turned in squares of one vector's width.
template <class T>
constexpr bool kTurns = std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>;
constexpr int64_t kVectorBytes = 16;

template <class T>
struct Square {
  using Vector [[gnu::vector_size(kVectorBytes)]] = T;

  static Vector load(const T* from) {
    Vector v;
    std::memcpy(&v, from, kVectorBytes);
    return v;
  }
  static void store(Vector v, T* to) { std::memcpy(to, &v, kVectorBytes); }
};

/// out[i][j] = a[j][i] for 4 x 4 elements.
void turn_square(const uint32_t* a, int64_t a_row, uint32_t* out, int64_t out_row) {
  using S = Square<uint32_t>;
  const auto r0 = S::load(a), r1 = S::load(a + a_row);
  const auto r2 = S::load(a + 2 * a_row), r3 = S::load(a + 3 * a_row);
  const auto low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  const auto high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const auto low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  const auto high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  S::store(__builtin_shufflevector(low01, low23, 0, 1, 4, 5), out);
  S::store(__builtin_shufflevector(low01, low23, 2, 3, 6, 7), out + out_row);
  S::store(__builtin_shufflevector(high01, high23, 0, 1, 4, 5), out + 2 * out_row);
  S::store(__builtin_shufflevector(high01, high23, 2, 3, 6, 7), out + 3 * out_row);
}

/// The same for 2 x 2 elements.
void turn_square(const uint64_t* a, int64_t a_row, uint64_t* out, int64_t out_row) {
  using S = Square<uint64_t>;
  const auto r0 = S::load(a), r1 = S::load(a + a_row);
  S::store(__builtin_shufflevector(r0, r1, 0, 2), out);
  S::store(__builtin_shufflevector(r0, r1, 1, 3), out + out_row);
}

/// out[i][j] = To(a[j][i]) for i in [i0, i1), j in [j0, j1).
template <class From, class To>
void copy_tile(const From* a, To* out, int64_t i0, int64_t i1, int64_t j0, int64_t j1,
               int64_t a_row, int64_t out_row) {
  int64_t i = i0;
  if constexpr (std::is_same_v<From, To> && kTurns<From>) {
    constexpr auto kSide = kVectorBytes / static_cast<int64_t>(sizeof(From));
    for (; i + kSide <= i1; i += kSide) {
      int64_t j = j0;
      for (; j + kSide <= j1; j += kSide) {
        turn_square(a + i + j * a_row, a_row, out + i * out_row + j, out_row);
      }
      for (; j < j1; ++j) {
        for (int64_t k = i; k < i + kSide; ++k) {
          out[k * out_row + j] = a[k + j * a_row];
        }
      }
    }
  }
  for (; i < i1; ++i) {
    for (int64_t j = j0; j < j1; ++j) {
      out[i * out_row + j] = static_cast<To>(a[i + j * a_row]);
    }
  }
}

/// Both sides of a tile fit the first cache, and their pages its translations.
constexpr int64_t kTile = 32;

template <class From, class To>
void copy_plane(const From* a, To* out, int64_t rows, int64_t columns, int64_t a_row,
                int64_t out_row) {
  for (int64_t j0 = 0; j0 < columns; j0 += kTile) {
    copy_tile(a, out, 0, rows, j0, std::min(j0 + kTile, columns), a_row, out_row);
  }
}

/// Dimension of `nest` along which the source is contiguous while its rows are not: the
/// copy is a transposition of that dimension with the last. dims if there is none.
size_t transposed_dim(const LoopNest<2>& nest) {
  const size_t last = nest.dims - 1;
  if (nest.dims < 2 || nest.strides[0][last] <= 1 || nest.strides[1][last] != 1) {
    return nest.dims;
  }
  for (size_t d = 0; d < last; ++d) {
    if (nest.strides[0][d] == 1 && nest.shape[d] >= 8) return d;
  }
  return nest.dims;
}

template <class From, class To>
void copy_transposed(const LoopNest<2>& nest, size_t dim, const From* a, To* out) {
  const size_t last = nest.dims - 1;
  constexpr int64_t kBand = kTile;  // rows of one task
  const int64_t rows = nest.shape[dim], columns = nest.shape[last];
  const int64_t out_row = nest.strides[1][dim], a_row = nest.strides[0][last];
  LoopNest<2> outer;  // one step per band of one plane
  for (size_t d = 0; d < last; ++d) {
    const int64_t band = d == dim ? kBand : 1;
    outer.shape[d] = (nest.shape[d] + band - 1) / band;
    outer.strides[0][d] = nest.strides[0][d] * band;
    outer.strides[1][d] = nest.strides[1][d] * band;
    outer.total *= outer.shape[d];
  }
  outer.dims = last;
  const auto grain = static_cast<size_t>(
      std::max<int64_t>(1, static_cast<int64_t>(kGrain) / (kBand * columns)));
  base::shared_pool().parallel_for(
      static_cast<size_t>(outer.total), grain, [&](size_t begin, size_t end) {
        int64_t inner = 1;  // planes between two bands of the same plane
        for (size_t d = dim + 1; d < last; ++d) inner *= outer.shape[d];
        for (size_t task = begin; task < end; ++task) {
          const auto t = static_cast<int64_t>(task);
          const int64_t band = t / inner % outer.shape[dim];
          for_rows(outer, t, t + 1, [&](const auto& at, int64_t) {
            copy_plane(a + at[0], out + at[1], std::min(kBand, rows - band * kBand),
                       columns, a_row, out_row);
          });
        }
      });
}

}  // namespace

template <class From, class To>
void copy(std::span<const int64_t> shape, Strided<const From> a, Strided<To> out) {
  const base::HostLoop loop("copy");
  auto nest = make_nest<2>(shape, {a.strides, out.strides});
  if (nest.total == 0) return;
  const size_t dim = nest.dims ? transposed_dim(nest) : 0;
  if (nest.dims && dim < nest.dims) return copy_transposed(nest, dim, a.data, out.data);
  copy_rows(nest, a.data, out.data);
}

template <class T>
void fill(T* out, int64_t count, T value) {
  const base::HostLoop loop("fill");
  constexpr unsigned char kZero[sizeof(T)] = {};
  const bool zero = std::memcmp(&value, kZero, sizeof(T)) == 0;
  base::shared_pool().parallel_for(
      static_cast<size_t>(count), kGrain, [=](size_t begin, size_t end) {
        // The C library knows best how this processor clears much memory.
        if (zero) {
          std::memset(static_cast<void*>(out + begin), 0, (end - begin) * sizeof(T));
        } else {
          std::fill(out + begin, out + end, value);
        }
      });
}

#define MINITORCH_COPY(From, To)                                              \
  template void copy<From, To>(std::span<const int64_t>, Strided<const From>, \
                               Strided<To>)
MINITORCH_COPY(uint8_t, uint8_t);
MINITORCH_COPY(uint16_t, uint16_t);
MINITORCH_COPY(uint32_t, uint32_t);
MINITORCH_COPY(uint64_t, uint64_t);
#define MINITORCH_CONVERT(A, B) \
  MINITORCH_COPY(A, B);         \
  MINITORCH_COPY(B, A)
MINITORCH_CONVERT(float, double);
MINITORCH_CONVERT(float, int32_t);
MINITORCH_CONVERT(float, int64_t);
MINITORCH_CONVERT(float, uint8_t);
MINITORCH_CONVERT(float, bool);
MINITORCH_CONVERT(float, Float16);
MINITORCH_CONVERT(float, BFloat16);
MINITORCH_CONVERT(double, int32_t);
MINITORCH_CONVERT(double, int64_t);
MINITORCH_CONVERT(double, uint8_t);
MINITORCH_CONVERT(double, bool);
MINITORCH_COPY(double, Float16);
MINITORCH_COPY(double, BFloat16);
MINITORCH_CONVERT(int32_t, int64_t);
MINITORCH_CONVERT(int32_t, uint8_t);
MINITORCH_CONVERT(int32_t, bool);
MINITORCH_CONVERT(int64_t, uint8_t);
MINITORCH_CONVERT(int64_t, bool);
MINITORCH_CONVERT(uint8_t, bool);
#undef MINITORCH_CONVERT
#undef MINITORCH_COPY

#define MINITORCH_FILL(T) template void fill<T>(T*, int64_t, T)
MINITORCH_FILL(float);
MINITORCH_FILL(double);
MINITORCH_FILL(Float16);
MINITORCH_FILL(BFloat16);
MINITORCH_FILL(int32_t);
MINITORCH_FILL(int64_t);
MINITORCH_FILL(uint8_t);
MINITORCH_FILL(bool);
#undef MINITORCH_FILL

}  // namespace minitorch::cpu

#include "cpu/scan.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/loop_watch.h"
#include "cpu/rows.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kWorthIt = 64;  // cells from which vectors gain

/// Shape and strides without dimension `dim`.
struct Kept {
  std::vector<int64_t> shape, a, out;
};

Kept without(std::span<const int64_t> shape, size_t dim, std::span<const int64_t> a,
             std::span<const int64_t> out) {
  Kept kept;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d == dim) continue;
    kept.shape.push_back(shape[d]);
    kept.a.push_back(a[d]);
    kept.out.push_back(out[d]);
  }
  return kept;
}

/// Calls `line(offset in a, offset in out)` for each line along the missing dimension.
template <class Line>
void for_lines(const Kept& kept, int64_t length, Line line) {
  auto nest = make_nest<2>(std::span<const int64_t>(kept.shape),
                           {std::span<const int64_t>(kept.a), kept.out});
  const auto grain = std::max<size_t>(
      1, kGrain / 4 / static_cast<size_t>(std::max<int64_t>(length, 1)));
  for_rows_parallel(nest, grain, [&](const auto& at, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      line(at[0] + i * nest.row_stride(0), at[1] + i * nest.row_stride(1));
    }
  });
}

/// The largest of a contiguous row is found with vectors, then its first place.
template <class T>
int64_t place_of_largest(const T* x, int64_t n) {
  constexpr int64_t kBlock = 32;  // looked at without a branch
  const T largest = max_of_row(x, n);
  const bool nan = largest != largest;
  const auto is_it = [=](T value) { return nan ? value != value : value == largest; };
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    bool found = false;
    for (int64_t j = 0; j < kBlock; ++j) found |= is_it(x[i + j]);
    if (found) break;
  }
  while (!is_it(x[i])) ++i;
  return i;
}

template <class T, class Better>
int64_t place_of(const T* x, int64_t n, int64_t step, Better better) {
  int64_t best = 0;
  T value = x[0];
  for (int64_t i = 1; i < n && value == value; ++i) {
    const T next = x[i * step];
    if (better(next, value) || next != next) {
      value = next;
      best = i;
    }
  }
  return best;
}

}  // namespace

template <class T>
void arg_extreme(Extreme which, std::span<const int64_t> shape, size_t dim,
                 Strided<const T> a, int64_t* out) {
  const base::HostLoop loop("arg_extreme");
  std::vector<int64_t> steps(shape.size(), 1);
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    steps[d] = step;
    if (d != dim) step *= shape[d];
  }
  const int64_t n = shape[dim], along = a.strides[dim];
  const Kept kept = without(shape, dim, a.strides, steps);
  for_lines(kept, n, [&](int64_t from, int64_t to) {
    const T* x = a.data + from;
    if constexpr (std::is_floating_point_v<T>) {
      if (which == Extreme::Largest && along == 1 && n >= kWorthIt) {
        out[to] = place_of_largest(x, n);
        return;
      }
    }
    out[to] = which == Extreme::Largest
                  ? place_of(x, n, along, [](T p, T q) { return p > q; })
                  : place_of(x, n, along, [](T p, T q) { return p < q; });
  });
}

template <class T>
void cumsum(std::span<const int64_t> shape, size_t dim, Strided<const T> a,
            Strided<T> out) {
  const base::HostLoop loop("cumsum");
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  const int64_t n = shape[dim], sa = a.strides[dim], so = out.strides[dim];
  for_lines(without(shape, dim, a.strides, out.strides), n,
            [&](int64_t from, int64_t to) {
              Wide sum = 0;
              for (int64_t i = 0; i < n; ++i) {
                sum += static_cast<Wide>(a.data[from + i * sa]);
                out.data[to + i * so] = static_cast<T>(sum);
              }
            });
}

#define MINITORCH_SCAN(T)                                                     \
  template void arg_extreme<T>(Extreme, std::span<const int64_t>, size_t,     \
                               Strided<const T>, int64_t*);                   \
  template void cumsum<T>(std::span<const int64_t>, size_t, Strided<const T>, \
                          Strided<T>);
MINITORCH_SCAN(float)
MINITORCH_SCAN(double)
MINITORCH_SCAN(int32_t)
MINITORCH_SCAN(int64_t)
MINITORCH_SCAN(uint8_t)
#undef MINITORCH_SCAN

}  // namespace minitorch::cpu

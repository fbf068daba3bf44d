#include "cpu/gather.h"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "base/loop_watch.h"
#include "cpu/builds.h"

namespace minitorch::cpu {
namespace {

int64_t offset_at(int64_t index, Indexed dim) {
  return (index < 0 ? index + dim.size : index) * dim.stride;
}

/// `row(x, i, y, n)` over the parts of a walk whose three operands have different
/// types; LoopNest counts elements only.
template <class A, class Out, class Row>
void walk(std::span<const int64_t> shape, size_t split, Strided<const A> a,
          Strided<const int64_t> index, Strided<Out> out, Row row) {
  const auto rows = static_cast<size_t>(shape.empty() ? 1 : shape[split]);
  size_t each = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != split) each *= static_cast<size_t>(shape[d]);
  }
  const size_t grain = std::max<size_t>(1, kGrain / std::max<size_t>(each, 1));
  base::shared_pool().parallel_for(rows, grain, [&](size_t begin, size_t end) {
    std::vector<int64_t> part(shape.begin(), shape.end());
    int64_t steps[3] = {0, 0, 0};
    if (!part.empty()) {
      part[split] = static_cast<int64_t>(end - begin);
      const auto first = static_cast<int64_t>(begin);
      steps[0] = first * a.strides[split];
      steps[1] = first * index.strides[split];
      steps[2] = first * out.strides[split];
    }
    const auto nest = make_nest<3>(std::span<const int64_t>(part),
                                   {a.strides, index.strides, out.strides});
    for_rows(nest, 0, nest.total, [&](const auto& at, int64_t n) {
      row(a.data + steps[0] + at[0], nest.row_stride(0), index.data + steps[1] + at[1],
          nest.row_stride(1), out.data + steps[2] + at[2], nest.row_stride(2), n);
    });
  });
}

/// out[i] = x[i * step + at[i]], counted from the end where at[i] is negative.
#define MINITORCH_PICK_ROW(T)                                                      \
  MINITORCH_BUILDS void pick_row(const T* x, int64_t step, const int64_t* at,      \
                                 int64_t size, T* __restrict out, int64_t count) { \
    for (int64_t i = 0; i < count; ++i) {                                          \
      const int64_t index = at[i];                                                 \
      out[i] = x[i * step + index + (index < 0 ? size : 0)];                       \
    }                                                                              \
  }
MINITORCH_PICK_ROW(uint8_t)
MINITORCH_PICK_ROW(uint16_t)
MINITORCH_PICK_ROW(uint32_t)
MINITORCH_PICK_ROW(uint64_t)
#undef MINITORCH_PICK_ROW

template <class T>
void add_to(T& cell, T value) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    cell = static_cast<T>(static_cast<U>(cell) + static_cast<U>(value));
  } else {
    cell += value;
  }
}

/// Bits of the numbers outside low … low + cells - 1: 0 if there are none.
MINITORCH_BUILDS int64_t outside(const int64_t* index, int64_t count, int64_t low,
                                 uint64_t cells) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t above = static_cast<uint64_t>(index[i]) - static_cast<uint64_t>(low);
    found |= above >= cells ? 1 : 0;
  }
  return found;
}

}  // namespace

bool all_within(const int64_t* index, int64_t count, int64_t low, int64_t end) {
  const base::HostLoop loop("all_within");
  std::atomic<int64_t> found{0};
  base::shared_pool().parallel_for(
      static_cast<size_t>(count), kGrain, [&](size_t begin, size_t last) {
        found |= outside(index + begin, static_cast<int64_t>(last - begin), low,
                         static_cast<uint64_t>(end - low));
      });
  return found == 0;
}

template <class T>
void gather(std::span<const int64_t> shape, Strided<const T> a, Indexed dim,
            Strided<const int64_t> index, Strided<T> out) {
  const base::HostLoop loop("gather");
  size_t split = 0;  // any dimension will do: nobody writes where another does
  for (size_t d = 0; d < shape.size(); ++d) split = shape[d] > shape[split] ? d : split;
  walk(shape, split, a, index, out,
       [dim](const T* x, int64_t sx, const int64_t* at, int64_t si, T* y, int64_t so,
             int64_t n) {
         if (si == 0) {  // one index for the whole row
           x += offset_at(*at, dim);
           if (sx == 1 && so == 1) {
             std::copy_n(x, n, y);
           } else {
             for (int64_t i = 0; i < n; ++i) y[i * so] = x[i * sx];
           }
           return;
         }
         if (si == 1 && so == 1 && dim.stride == 1)
           return pick_row(x, sx, at, dim.size, y, n);
         for (int64_t i = 0; i < n; ++i) {
           y[i * so] = x[i * sx + offset_at(at[i * si], dim)];
         }
       });
}

template <class T>
void scatter(std::span<const int64_t> shape, size_t split, Strided<const T> a,
             Strided<const int64_t> index, Strided<T> out, Indexed dim) {
  const base::HostLoop loop("scatter");
  walk(shape, split, a, index, out,
       [dim](const T* x, int64_t sx, const int64_t* at, int64_t si, T* y, int64_t so,
             int64_t n) {
         for (int64_t i = 0; i < n; ++i) {
           y[i * so + offset_at(at[i * si], dim)] = x[i * sx];
         }
       });
}

template <class T>
void scatter_add(std::span<const int64_t> shape, size_t split, Strided<const T> a,
                 Strided<const int64_t> index, Strided<T> out, Indexed dim) {
  const base::HostLoop loop("scatter_add");
  walk(shape, split, a, index, out,
       [dim](const T* x, int64_t sx, const int64_t* at, int64_t si, T* y, int64_t so,
             int64_t n) {
         if (si == 0) {
           y += offset_at(*at, dim);
           for (int64_t i = 0; i < n; ++i) add_to(y[i * so], x[i * sx]);
           return;
         }
         for (int64_t i = 0; i < n; ++i) {
           add_to(y[i * so + offset_at(at[i * si], dim)], x[i * sx]);
         }
       });
}

#define MINITORCH_MOVE(T)                                                      \
  template void gather<T>(std::span<const int64_t>, Strided<const T>, Indexed, \
                          Strided<const int64_t>, Strided<T>);                 \
  template void scatter<T>(std::span<const int64_t>, size_t, Strided<const T>, \
                           Strided<const int64_t>, Strided<T>, Indexed);
MINITORCH_MOVE(uint8_t)
MINITORCH_MOVE(uint16_t)
MINITORCH_MOVE(uint32_t)
MINITORCH_MOVE(uint64_t)
#undef MINITORCH_MOVE

#define MINITORCH_ADD(T)                                                           \
  template void scatter_add<T>(std::span<const int64_t>, size_t, Strided<const T>, \
                               Strided<const int64_t>, Strided<T>, Indexed);
MINITORCH_ADD(float)
MINITORCH_ADD(double)
MINITORCH_ADD(int32_t)
MINITORCH_ADD(int64_t)
MINITORCH_ADD(uint8_t)
#undef MINITORCH_ADD

}  // namespace minitorch::cpu

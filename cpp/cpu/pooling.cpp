#include "cpu/pooling.h"

#include <algorithm>
#include <limits>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/loop_nest.h"

namespace minitorch::cpu {
namespace {

using kernels::PoolShape;
using kernels::SlidingAxis;

/// Calls `body(plane)` for every plane, on several threads if that is worth it.
template <class Body>
void for_planes(const PoolShape& s, Body body) {
  const int64_t work = s.windows() * s.rows.kernel * s.columns.kernel;
  const auto grain = static_cast<size_t>(std::max<int64_t>(1, kCellGrain / (work + 1)));
  base::shared_pool().parallel_for(static_cast<size_t>(s.planes), grain,
                                   [&](size_t begin, size_t end) {
                                     for (size_t p = begin; p < end; ++p)
                                       body(static_cast<int64_t>(p));
                                   });
}

/// The taps of a window that read cells of the image, and the first of those cells.
struct Taps {
  int64_t count, start;
};

Taps taps_inside(const SlidingAxis& axis, int64_t window) {
  const int64_t start = window * axis.stride - axis.before;
  const int64_t skipped = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
  const int64_t first = start + skipped * axis.dilation;
  if (first >= axis.size) return {0, 0};
  const int64_t fit = (axis.size - 1 - first) / axis.dilation + 1;
  return {std::max<int64_t>(0, std::min(axis.kernel - skipped, fit)), first};
}

/// Calls `window(number, rows, columns)` for every window of a plane.
template <class Window>
void for_windows(const PoolShape& s, Window window) {
  int64_t number = 0;
  for (int64_t r = 0; r < s.rows.count; ++r) {
    const Taps rows = taps_inside(s.rows, r);
    for (int64_t c = 0; c < s.columns.count; ++c)
      window(number++, rows, taps_inside(s.columns, c));
  }
}

template <class T>
T divisor(const PoolShape& s, bool count_padding, Taps rows, Taps columns) {
  return static_cast<T>(count_padding ? s.rows.kernel * s.columns.kernel
                                      : rows.count * columns.count);
}

}  // namespace

template <class T>
void max_pool2d(const PoolShape& s, const T* x, T* out, int32_t* at) {
  const base::HostLoop loop("max_pool2d");
  for_planes(s, [&](int64_t p) {
    const T* plane = x + p * s.image();
    for_windows(s, [&](int64_t number, Taps rows, Taps columns) {
      T best = -std::numeric_limits<T>::infinity();
      int64_t found = -1;
      for (int64_t i = 0; i < rows.count; ++i) {
        const int64_t y = rows.start + i * s.rows.dilation;
        for (int64_t j = 0; j < columns.count; ++j) {
          const int64_t cell =
              y * s.columns.size + columns.start + j * s.columns.dilation;
          const T value = plane[cell];
          if (found < 0 || value > best || (value != value && best == best)) {
            best = value;
            found = cell;
          }
        }
      }
      out[p * s.windows() + number] = best;
      at[p * s.windows() + number] = static_cast<int32_t>(found);
    });
  });
}

template <class T>
void max_pool2d_grad(const PoolShape& s, const T* g, const int32_t* at, T* dx) {
  const base::HostLoop loop("max_pool2d_grad");
  for_planes(s, [&](int64_t p) {
    T* plane = dx + p * s.image();
    std::fill_n(plane, s.image(), T(0));
    for (int64_t i = p * s.windows(); i < (p + 1) * s.windows(); ++i) {
      if (at[i] >= 0) plane[at[i]] += g[i];
    }
  });
}

template <class T>
void pick(const PoolShape& s, const T* x, const int32_t* at, T* out) {
  const base::HostLoop loop("pick");
  for_planes(s, [&](int64_t p) {
    for (int64_t i = p * s.windows(); i < (p + 1) * s.windows(); ++i)
      out[i] = at[i] < 0 ? T(0) : x[p * s.image() + at[i]];
  });
}

template <class T>
void avg_pool2d(const PoolShape& s, bool count_padding, const T* x, T* out) {
  const base::HostLoop loop("avg_pool2d");
  for_planes(s, [&](int64_t p) {
    const T* plane = x + p * s.image();
    for_windows(s, [&](int64_t number, Taps rows, Taps columns) {
      T sum = 0;
      for (int64_t i = 0; i < rows.count; ++i) {
        const T* line = plane + (rows.start + i) * s.columns.size + columns.start;
        for (int64_t j = 0; j < columns.count; ++j) sum += line[j];
      }
      out[p * s.windows() + number] = sum / divisor<T>(s, count_padding, rows, columns);
    });
  });
}

template <class T>
void avg_pool2d_grad(const PoolShape& s, bool count_padding, const T* g, T* dx) {
  const base::HostLoop loop("avg_pool2d_grad");
  for_planes(s, [&](int64_t p) {
    T* plane = dx + p * s.image();
    std::fill_n(plane, s.image(), T(0));
    for_windows(s, [&](int64_t number, Taps rows, Taps columns) {
      const T share =
          g[p * s.windows() + number] / divisor<T>(s, count_padding, rows, columns);
      for (int64_t i = 0; i < rows.count; ++i) {
        T* line = plane + (rows.start + i) * s.columns.size + columns.start;
        for (int64_t j = 0; j < columns.count; ++j) line[j] += share;
      }
    });
  });
}

#define MINITORCH_POOLING(T)                                                        \
  template void max_pool2d<T>(const PoolShape&, const T*, T*, int32_t*);            \
  template void max_pool2d_grad<T>(const PoolShape&, const T*, const int32_t*, T*); \
  template void pick<T>(const PoolShape&, const T*, const int32_t*, T*);            \
  template void avg_pool2d<T>(const PoolShape&, bool, const T*, T*);                \
  template void avg_pool2d_grad<T>(const PoolShape&, bool, const T*, T*);
MINITORCH_POOLING(float)
MINITORCH_POOLING(double)
#undef MINITORCH_POOLING

}  // namespace minitorch::cpu

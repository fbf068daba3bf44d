// Owns the convolution of each channel by itself on the host and its two gradients.
#include "cpu/depthwise.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/builds.h"
#include "cpu/loop_nest.h"
#include "cpu/windows.h"

namespace minitorch::cpu {
namespace {

using kernels::ConvShape;
using kernels::SlidingAxis;

/// Where the windows of a row have tap kx inside the image, for each kx.
std::vector<WindowRange> ranges_of(const SlidingAxis& columns) {
  std::vector<WindowRange> out;
  for (int64_t kx = 0; kx < columns.kernel; ++kx)
    out.push_back(windows_inside(columns, kx));
  return out;
}

/// Calls `row(window row, image row, ky)` where tap ky of these windows is inside.
template <class Row>
[[gnu::always_inline]] inline void for_rows_inside(const SlidingAxis& rows, Row row) {
  for (int64_t o = 0; o < rows.count; ++o) {
    for (int64_t ky = 0; ky < rows.kernel; ++ky) {
      const int64_t y = o * rows.stride - rows.before + ky * rows.dilation;
      if (y >= 0 && y < rows.size) row(o, y, ky);
    }
  }
}

/// Sum of a[i] * b[i * step], in vectors as wide as any processor has where the step
/// is 1.
template <class T>
struct DotSum {
  static constexpr int64_t kBytes = 64, kLanes = kBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kBytes)));
  Vector lanes{};
  double rest = 0;

  [[gnu::always_inline]] void add(const T* a, const T* b, int64_t step, int64_t count) {
    int64_t i = 0;
    for (; step == 1 && i + kLanes <= count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      lanes += x * y;
    }
    T part = 0;
    for (; i < count; ++i) part += a[i] * b[i * step];
    rest += part;
  }
  [[gnu::always_inline]] double sum() const {
    double out = rest;
    for (int64_t j = 0; j < kLanes; ++j) out += lanes[j];
    return out;
  }
};

#define MINITORCH_DEPTHWISE_STEPS(T)                                                   \
  /** out += the windows of one image times w. */                                      \
  MINITORCH_BUILDS void windows_times(const ConvShape& s, const WindowRange* inside,   \
                                      const T* x, const T* w, T* out) {                \
    const SlidingAxis columns = s.columns;                                             \
    for_rows_inside(                                                                   \
        s.rows, [&](int64_t o, int64_t y, int64_t ky) __attribute__((always_inline)) { \
          for (int64_t kx = 0; kx < columns.kernel; ++kx) {                            \
            const T by = w[ky * columns.kernel + kx];                                  \
            const int64_t step = columns.stride, end = inside[kx].end;                 \
            const T* __restrict from =                                                 \
                x + y * columns.size + kx * columns.dilation - columns.before;         \
            T* __restrict to = out + o * columns.count;                                \
            if (step == 1) {                                                           \
              for (int64_t i = inside[kx].first; i < end; ++i) to[i] += by * from[i];  \
            } else {                                                                   \
              for (int64_t i = inside[kx].first; i < end; ++i)                         \
                to[i] += by * from[i * step];                                          \
            }                                                                          \
          }                                                                            \
        });                                                                            \
  }                                                                                    \
  /** dx += what the windows give back. */                                             \
  MINITORCH_BUILDS void windows_back(const ConvShape& s, const WindowRange* inside,    \
                                     const T* g, const T* w, T* dx) {                  \
    const SlidingAxis columns = s.columns;                                             \
    for_rows_inside(                                                                   \
        s.rows, [&](int64_t o, int64_t y, int64_t ky) __attribute__((always_inline)) { \
          for (int64_t kx = 0; kx < columns.kernel; ++kx) {                            \
            const T by = w[ky * columns.kernel + kx];                                  \
            const int64_t step = columns.stride, end = inside[kx].end;                 \
            const T* __restrict from = g + o * columns.count;                          \
            T* __restrict to =                                                         \
                dx + y * columns.size + kx * columns.dilation - columns.before;        \
            if (step == 1) {                                                           \
              for (int64_t i = inside[kx].first; i < end; ++i) to[i] += by * from[i];  \
            } else {                                                                   \
              for (int64_t i = inside[kx].first; i < end; ++i)                         \
                to[i * step] += by * from[i];                                          \
            }                                                                          \
          }                                                                            \
        });                                                                            \
  }                                                                                    \
  /** The gradient of weight (ky, kx) from one image. */                               \
  MINITORCH_BUILDS double weight_of_tap(const ConvShape& s, WindowRange inside,        \
                                        int64_t ky, int64_t kx, const T* g,            \
                                        const T* x) {                                  \
    DotSum<T> sum;                                                                     \
    const int64_t first =                                                              \
        inside.first * s.columns.stride + kx * s.columns.dilation - s.columns.before;  \
    for (int64_t o = 0; o < s.rows.count; ++o) {                                       \
      const int64_t y = o * s.rows.stride - s.rows.before + ky * s.rows.dilation;      \
      if (y < 0 || y >= s.rows.size) continue;                                         \
      sum.add(g + o * s.columns.count + inside.first, x + y * s.columns.size + first,  \
              s.columns.stride, inside.end - inside.first);                            \
    }                                                                                  \
    return sum.sum();                                                                  \
  }
MINITORCH_DEPTHWISE_STEPS(float)
MINITORCH_DEPTHWISE_STEPS(double)
#undef MINITORCH_DEPTHWISE_STEPS

/// `body(i)` for `count` pieces of `cells` steps each, split over threads.
template <class Body>
void share_planes(int64_t count, int64_t cells, Body body) {
  base::shared_pool().parallel_for(
      static_cast<size_t>(count),
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / cells)),
      [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) body(static_cast<int64_t>(i));
      });
}

}  // namespace

template <class T>
void depthwise(const ConvShape& s, const T* x, const T* w, const T* bias, T* out) {
  const base::HostLoop loop("depthwise");
  const std::vector<WindowRange> inside = ranges_of(s.columns);
  share_planes(s.batch * s.channels, s.windows() * s.taps(), [&](int64_t plane) {
    const int64_t channel = plane % s.channels;
    T* to = out + plane * s.windows();
    std::fill_n(to, s.windows(), bias ? bias[channel] : T(0));
    windows_times(s, inside.data(), x + plane * s.image(), w + channel * s.taps(), to);
  });
}

template <class T>
void depthwise_grad_input(const ConvShape& s, const T* g, const T* w, T* dx) {
  const base::HostLoop loop("depthwise_grad_input");
  const std::vector<WindowRange> inside = ranges_of(s.columns);
  share_planes(s.batch * s.channels, s.windows() * s.taps(), [&](int64_t plane) {
    const int64_t channel = plane % s.channels;
    T* to = dx + plane * s.image();
    std::fill_n(to, s.image(), T(0));
    windows_back(s, inside.data(), g + plane * s.windows(), w + channel * s.taps(), to);
  });
}

template <class T>
void depthwise_grad_weight(const ConvShape& s, const T* g, const T* x, T* dw) {
  const base::HostLoop loop("depthwise_grad_weight");
  const std::vector<WindowRange> inside = ranges_of(s.columns);
  share_planes(s.channels, s.batch * s.windows() * s.taps(), [&](int64_t channel) {
    for (int64_t k = 0; k < s.taps(); ++k) {
      const int64_t ky = k / s.columns.kernel, kx = k % s.columns.kernel;
      const WindowRange range = inside[static_cast<size_t>(kx)];
      double sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        const int64_t plane = n * s.channels + channel;
        sum += weight_of_tap(s, range, ky, kx, g + plane * s.windows(),
                             x + plane * s.image());
      }
      dw[channel * s.taps() + k] = static_cast<T>(sum);
    }
  });
}

#define MINITORCH_DEPTHWISE(T)                                                     \
  template void depthwise<T>(const ConvShape&, const T*, const T*, const T*, T*);  \
  template void depthwise_grad_input<T>(const ConvShape&, const T*, const T*, T*); \
  template void depthwise_grad_weight<T>(const ConvShape&, const T*, const T*, T*);
MINITORCH_DEPTHWISE(float)
MINITORCH_DEPTHWISE(double)
#undef MINITORCH_DEPTHWISE

}  // namespace minitorch::cpu

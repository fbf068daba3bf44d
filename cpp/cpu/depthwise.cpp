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
  /** out[i] = sum of w[k] * x[i + offset[k]], in pieces that stay in a cache. */      \
  MINITORCH_BUILDS void shifted_sums(const T* x, const T* w, const int64_t* offset,    \
                                     int64_t taps, T* out, int64_t count) {            \
    constexpr int64_t kPiece = 512;                                                    \
    for (int64_t first = 0; first < count; first += kPiece) {                          \
      const int64_t end = std::min(first + kPiece, count);                             \
      for (int64_t i = first; i < end; ++i) out[i] = T(0);                             \
      for (int64_t k = 0; k < taps; ++k) {                                             \
        const T by = w[k];                                                             \
        const T* __restrict from = x + offset[k];                                      \
        T* __restrict to = out;                                                        \
        for (int64_t i = first; i < end; ++i) to[i] += by * from[i];                   \
      }                                                                                \
    }                                                                                  \
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

/// A plane with its padding as one long row, in which each tap is a shift. Where
/// windows step over cells, the cells that a tap can reach are a row of their own. With
/// the weights turned round, windows without steps also take a gradient back.
template <class T>
class LongRow {
 public:
  LongRow(const ConvShape& s, bool back)
      : back_(back),
        from_rows_(back ? s.rows.count : s.rows.size),
        from_columns_(back ? s.columns.count : s.columns.size),
        rows_(back ? s.rows.size : s.rows.count),
        columns_(back ? s.columns.size : s.columns.count),
        row_step_(s.rows.stride),
        column_step_(s.columns.stride),
        row_starts_(std::min(row_step_, reach(s.rows) + 1)),
        column_starts_(std::min(column_step_, reach(s.columns) + 1)),
        above_(back ? reach(s.rows) - s.rows.before : s.rows.before),
        left_(back ? reach(s.columns) - s.columns.before : s.columns.before),
        height_(rows_ + reach(s.rows) / row_step_),
        width_(columns_ + reach(s.columns) / column_step_),
        weights_(static_cast<size_t>(s.taps())),
        padded_(static_cast<size_t>(row_starts_ * column_starts_ * height_ * width_)),
        sums_(static_cast<size_t>(rows_ * width_)) {
    for (int64_t ky = 0; ky < s.rows.kernel; ++ky) {
      for (int64_t kx = 0; kx < s.columns.kernel; ++kx) {
        const int64_t y = ky * s.rows.dilation, x = kx * s.columns.dilation;
        const int64_t first = start_of(y % row_step_, x % column_step_);
        offsets_.push_back(first + y / row_step_ * width_ + x / column_step_);
      }
    }
  }

  /// Can it take a gradient back?
  static bool fits_back(const ConvShape& s) {
    return s.rows.stride == 1 && s.columns.stride == 1;
  }

  void run(const T* from, const T* w, T* out, T start) {
    const auto taps = static_cast<int64_t>(weights_.size());
    for (int64_t k = 0; k < taps; ++k)
      weights_[static_cast<size_t>(k)] = w[back_ ? taps - 1 - k : k];
    for (int64_t py = 0; py < row_starts_; ++py) {
      for (int64_t px = 0; px < column_starts_; ++px)
        pad(from, py, px, padded_.data() + start_of(py, px));
    }
    shifted_sums(padded_.data(), weights_.data(), offsets_.data(), taps, sums_.data(),
                 (rows_ - 1) * width_ + columns_);
    for (int64_t r = 0; r < rows_; ++r) {
      const T* sum = sums_.data() + r * width_;
      for (int64_t c = 0; c < columns_; ++c) out[r * columns_ + c] = sum[c] + start;
    }
  }

 private:
  /// Cells from the first tap to the last.
  static int64_t reach(const SlidingAxis& axis) {
    return (axis.kernel - 1) * axis.dilation;
  }

  /// Where the row of the cells begins that are (y, x) cells after each step.
  int64_t start_of(int64_t y, int64_t x) const {
    return (y * column_starts_ + x) * height_ * width_;
  }

  /// Writes the cells of the plane to their row; those of the padding stay 0.
  void pad(const T* from, int64_t py, int64_t px, T* to) const {
    const int64_t step = column_step_, before = left_ - px;
    const int64_t end = from_columns_ + before;  // of the cells, from the first window
    const int64_t first = before > 0 ? (before + step - 1) / step : 0;
    const int64_t last = end > 0 ? std::min(width_, (end + step - 1) / step) : 0;
    for (int64_t p = 0; p < height_ && first < last; ++p) {
      const int64_t y = p * row_step_ + py - above_;
      if (y < 0 || y >= from_rows_) continue;
      const int64_t cell = y * from_columns_ - before;  // of window 0, may be padding
      T* line = to + p * width_;
      if (step == 1) {
        std::copy_n(from + (cell + first), last - first, line + first);
      } else {
        for (int64_t c = first; c < last; ++c) line[c] = from[cell + c * step];
      }
    }
  }

  bool back_;
  int64_t from_rows_, from_columns_, rows_, columns_, row_step_, column_step_,
      row_starts_, column_starts_, above_, left_, height_, width_;
  std::vector<T> weights_, padded_, sums_;
  std::vector<int64_t> offsets_;
};

/// Calls `body(plane, row)` for each plane, split over threads with a LongRow each.
template <class T, class Body>
void for_long_rows(const ConvShape& s, bool back, Body body) {
  const int64_t cells = s.windows() * s.taps();
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.batch * s.channels),
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / cells)),
      [&](size_t begin, size_t end) {
        LongRow<T> row(s, back);
        for (size_t plane = begin; plane < end; ++plane)
          body(static_cast<int64_t>(plane), row);
      });
}

}  // namespace

template <class T>
void depthwise(const ConvShape& s, const T* x, const T* w, const T* bias, T* out) {
  const base::HostLoop loop("depthwise");
  for_long_rows<T>(s, false, [&](int64_t plane, LongRow<T>& row) {
    const int64_t channel = plane % s.channels;
    row.run(x + plane * s.image(), w + channel * s.taps(), out + plane * s.windows(),
            bias ? bias[channel] : T(0));
  });
}

template <class T>
void depthwise_grad_input(const ConvShape& s, const T* g, const T* w, T* dx) {
  const base::HostLoop loop("depthwise_grad_input");
  if (LongRow<T>::fits_back(s)) {
    return for_long_rows<T>(s, true, [&](int64_t plane, LongRow<T>& row) {
      row.run(g + plane * s.windows(), w + plane % s.channels * s.taps(),
              dx + plane * s.image(), T(0));
    });
  }
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

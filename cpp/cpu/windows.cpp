#include "cpu/windows.h"

#include <algorithm>

#include "base/loop_watch.h"
#include "cpu/rows.h"

namespace minitorch::cpu {
namespace {

using kernels::SlidingAxis;

/// Calls `row(image row, matrix row, k of the column)` for each line of windows and
/// tap, with a null image row where all of it is padding.
template <class Image, class Cells, class Row>
void for_taps(Image* image, Cells* matrix, int64_t row_step, int64_t channels,
              const SlidingAxis& rows, const SlidingAxis& columns, Row row) {
  for (int64_t c = 0; c < channels; ++c, image += rows.size * columns.size) {
    for (int64_t ky = 0; ky < rows.kernel; ++ky) {
      for (int64_t kx = 0; kx < columns.kernel; ++kx, matrix += row_step) {
        const WindowRange inside = windows_inside(columns, kx);
        for (int64_t o = 0; o < rows.count; ++o) {
          const int64_t y = o * rows.stride - rows.before + ky * rows.dilation;
          Image* line = y < 0 || y >= rows.size ? nullptr : image + y * columns.size;
          row(line, matrix + o * columns.count, inside,
              kx * columns.dilation - columns.before);
        }
      }
    }
  }
}

}  // namespace

template <class T>
void unfold(const T* image, int64_t channels, const SlidingAxis& rows,
            const SlidingAxis& columns, T* matrix, int64_t row_step) {
  const base::HostLoop loop("unfold");
  const int64_t count = columns.count, stride = columns.stride;
  for_taps(image, matrix, row_step, channels, rows, columns,
           [=](const T* line, T* out, WindowRange inside, int64_t shift) {
             if (line == nullptr) {
               std::fill_n(out, count, T(0));
               return;
             }
             std::fill_n(out, inside.first, T(0));
             if (stride == 1) {
               std::copy(line + inside.first + shift, line + inside.end + shift,
                         out + inside.first);
             } else {
               for (int64_t o = inside.first; o < inside.end; ++o)
                 out[o] = line[o * stride + shift];
             }
             std::fill(out + inside.end, out + count, T(0));
           });
}

template <class T>
void fold(const T* matrix, int64_t row_step, int64_t channels, const SlidingAxis& rows,
          const SlidingAxis& columns, T* image) {
  const base::HostLoop loop("fold");
  const int64_t stride = columns.stride;
  for_taps(image, matrix, row_step, channels, rows, columns,
           [=](T* line, const T* in, WindowRange inside, int64_t shift) {
             if (line == nullptr) return;
             if (stride == 1) {
               add_row(in + inside.first, line + inside.first + shift,
                       inside.end - inside.first);
             } else {
               for (int64_t o = inside.first; o < inside.end; ++o)
                 line[o * stride + shift] += in[o];
             }
           });
}

#define MINITORCH_WINDOWS(T)                                                         \
  template void unfold<T>(const T*, int64_t, const SlidingAxis&, const SlidingAxis&, \
                          T*, int64_t);                                              \
  template void fold<T>(const T*, int64_t, int64_t, const SlidingAxis&,              \
                        const SlidingAxis&, T*);
MINITORCH_WINDOWS(float)
MINITORCH_WINDOWS(double)
#undef MINITORCH_WINDOWS

}  // namespace minitorch::cpu

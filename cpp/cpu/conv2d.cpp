#include "cpu/conv2d.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/blas.h"
#include "cpu/depthwise.h"
#include "cpu/matmul.h"
#include "cpu/rows.h"
#include "cpu/windows.h"

namespace minitorch::cpu {
namespace {

using kernels::ConvShape;

/// Small images are joined until a product has about this many columns.
constexpr int64_t kTileColumns = 256;

/// Cells of the matrix of windows that one product of a part of an image takes: they
/// are not yet far away when they are read. Products of fewer columns are slower.
constexpr int64_t kTileCells = 512 * 1024;

/// What one product takes: some images, one group of their channels, and lines of
/// windows: all, or of one image some.
struct Piece {
  int64_t group, first, images, line, lines;
};

/// Is every window one cell, in order, so that an image is its own matrix?
bool pointwise(const ConvShape& s) {
  for (const kernels::SlidingAxis& axis : {s.rows, s.columns}) {
    if (axis.kernel != 1 || axis.stride != 1 || axis.before != 0) return false;
    if (axis.count != axis.size) return false;
  }
  return true;
}

/// Lines of windows of an image that one product takes.
int64_t lines_of_tile(const ConvShape& s) {
  const int64_t line = std::max<int64_t>(1, s.columns.count);
  const int64_t most = std::max(
      {kTileCells / (s.taps() * line), (kTileColumns + line - 1) / line, int64_t{1}});
  const int64_t tiles = (s.rows.count + most - 1) / most;
  return (s.rows.count + tiles - 1) / tiles;  // of about equal size
}

/// How the images and groups are dealt out: `pieces` products over `workers` threads.
class Plan {
 public:
  /// `tiled`: an image may be taken in several pieces.
  explicit Plan(const ConvShape& shape, bool tiled = false) : shape_(shape) {
    const auto pool = static_cast<int64_t>(base::shared_pool().size());
    const int64_t joined = std::max<int64_t>(1, kTileColumns / shape.windows());
    images_ = std::clamp<int64_t>(joined, 1, (shape.batch + pool - 1) / pool);
    per_group_ = (shape.batch + images_ - 1) / images_;
    const bool parts = tiled && images_ == 1 && !pointwise(shape);
    lines_ = parts ? lines_of_tile(shape) : shape.rows.count;
    tiles_ = (shape.rows.count + lines_ - 1) / lines_;
    pieces_ = per_group_ * shape.groups * tiles_;
    workers_ = std::min(pool, pieces_);
  }

  /// Columns of the largest product.
  int64_t columns() const { return images_ * lines_ * shape_.columns.count; }
  size_t workers() const { return static_cast<size_t>(workers_); }

  /// Calls `body(worker, piece)` for every piece; a worker's pieces are always the same
  /// ones in the same order. Where there is work for all threads, each multiplies
  /// alone.
  template <class Body>
  void run(Body body) const {
    const Blas& library = blas();  // an error belongs to the caller, not to a worker
    auto work = [&](size_t worker) {
      const auto w = static_cast<int64_t>(worker);
      for (int64_t p = pieces_ * w / workers_; p < pieces_ * (w + 1) / workers_; ++p) {
        const int64_t line = p % tiles_ * lines_, rest = p / tiles_;
        const int64_t first = rest % per_group_ * images_;
        body(worker,
             Piece{rest / per_group_, first, std::min(images_, shape_.batch - first),
                   line, std::min(lines_, shape_.rows.count - line)});
      }
    };
    if (workers_ == 1) return work(0);
    const OneThreadEach scope(library);
    base::shared_pool().run(workers(), work);
  }

 private:
  const ConvShape& shape_;
  int64_t images_, per_group_, lines_, tiles_, pieces_, workers_;
};

/// Memory of each worker for one matrix.
template <class T>
class Scratch {
 public:
  Scratch(size_t workers, int64_t cells)
      : cells_(cells),
        data_(
            std::make_unique_for_overwrite<T[]>(workers * static_cast<size_t>(cells))) {
  }
  T* of(size_t worker) const {
    return data_.get() + static_cast<int64_t>(worker) * cells_;
  }

 private:
  int64_t cells_;
  std::unique_ptr<T[]> data_;
};

template <class T>
T* image_of(T* x, const ConvShape& s, const Piece& piece, int64_t i) {
  const int64_t channel = piece.group * s.group_channels();
  return x + ((piece.first + i) * s.channels + channel) * s.image();
}

template <class T>
T* result_of(T* out, const ConvShape& s, const Piece& piece, int64_t i) {
  const int64_t channel = piece.group * s.group_outputs();
  return out + ((piece.first + i) * s.outputs + channel) * s.windows();
}

/// The windows of a piece: (taps, images * its windows).
template <class T>
const T* unfold_piece(const ConvShape& s, const T* x, const Piece& piece, T* matrix) {
  if (piece.images == 1 && pointwise(s)) return image_of(x, s, piece, 0);
  const int64_t cells = piece.lines * s.columns.count, step = piece.images * cells;
  kernels::SlidingAxis rows = s.rows;
  rows.count = piece.lines;
  rows.before -= piece.line * rows.stride;
  for (int64_t i = 0; i < piece.images; ++i) {
    unfold(image_of(x, s, piece, i), s.group_channels(), rows, s.columns,
           matrix + i * cells, step);
  }
  return matrix;
}

/// (group outputs, windows) of each image -> (group outputs, images * windows). One
/// image is read in place.
template <class T>
const T* gather_piece(const ConvShape& s, const T* g, const Piece& piece, T* matrix) {
  if (piece.images == 1) return result_of(g, s, piece, 0);
  const int64_t n = s.windows(), step = piece.images * n;
  for (int64_t i = 0; i < piece.images; ++i) {
    const T* from = result_of(g, s, piece, i);
    for (int64_t o = 0; o < s.group_outputs(); ++o)
      std::copy_n(from + o * n, n, matrix + o * step + i * n);
  }
  return matrix;
}

}  // namespace

template <class T>
void conv2d(const ConvShape& s, const T* x, const T* w, const T* bias, T* out) {
  const base::HostLoop loop("conv2d");
  if (is_depthwise(s)) return depthwise(s, x, w, bias, out);
  const Plan plan(s, true);
  const int64_t share = s.group_outputs(), taps = s.taps();
  const Scratch<T> windows(plan.workers(), taps * plan.columns());
  const Scratch<T> results(plan.workers(), share * plan.columns());
  plan.run([&](size_t worker, const Piece& piece) {
    const int64_t n = piece.images * piece.lines * s.columns.count;
    const T* matrix = unfold_piece(s, x, piece, windows.of(worker));
    const bool direct = piece.images == 1;
    const int64_t step = direct ? s.windows() : n;
    T* target = direct ? result_of(out, s, piece, 0) + piece.line * s.columns.count
                       : results.of(worker);
    for (int64_t o = 0; bias && o < share; ++o)
      std::fill_n(target + o * step, n, bias[piece.group * share + o]);
    // (share, taps) @ (taps, n) -> (share, n)
    matmul<T>(share, n, taps, {w + piece.group * share * taps, taps, 1}, {matrix, n, 1},
              target, bias != nullptr, step);
    for (int64_t i = 0; !direct && i < piece.images; ++i) {
      T* to = result_of(out, s, piece, i);
      for (int64_t o = 0; o < share; ++o) {
        std::copy_n(target + o * n + i * s.windows(), s.windows(),
                    to + o * s.windows());
      }
    }
  });
}

template <class T>
void conv2d_grad_input(const ConvShape& s, const T* g, const T* w, T* dx) {
  const base::HostLoop loop("conv2d_grad_input");
  if (is_depthwise(s)) return depthwise_grad_input(s, g, w, dx);
  const Plan plan(s);
  const int64_t share = s.group_outputs(), taps = s.taps();
  const Scratch<T> windows(plan.workers(), taps * plan.columns());
  const Scratch<T> gathered(plan.workers(), share * plan.columns());
  plan.run([&](size_t worker, const Piece& piece) {
    const int64_t n = piece.images * s.windows();
    const T* gradient = gather_piece(s, g, piece, gathered.of(worker));
    T* matrix = windows.of(worker);
    // (taps, share) @ (share, n) -> (taps, n)
    matmul<T>(taps, n, share, {w + piece.group * share * taps, 1, taps},
              {gradient, n, 1}, matrix);
    for (int64_t i = 0; i < piece.images; ++i) {
      T* image = image_of(dx, s, piece, i);
      std::fill_n(image, s.group_channels() * s.image(), T(0));
      fold(matrix + i * s.windows(), n, s.group_channels(), s.rows, s.columns, image);
    }
  });
}

template <class T>
void conv2d_grad_weight(const ConvShape& s, const T* g, const T* x, T* dw) {
  const base::HostLoop loop("conv2d_grad_weight");
  if (is_depthwise(s)) return depthwise_grad_weight(s, g, x, dw);
  const Plan plan(s);
  const int64_t share = s.group_outputs(), taps = s.taps(), count = s.outputs * taps;
  const Scratch<T> windows(plan.workers(), taps * plan.columns());
  const Scratch<T> gathered(plan.workers(), share * plan.columns());
  std::vector<T> sums(plan.workers() * static_cast<size_t>(count));  // one per worker
  plan.run([&](size_t worker, const Piece& piece) {
    const int64_t n = piece.images * s.windows();
    const T* matrix = unfold_piece(s, x, piece, windows.of(worker));
    const T* gradient = gather_piece(s, g, piece, gathered.of(worker));
    T* sum = sums.data() + static_cast<int64_t>(worker) * count;
    // (share, n) @ (n, taps) -> (share, taps)
    matmul<T>(share, taps, n, {gradient, n, 1}, {matrix, 1, n},
              sum + piece.group * share * taps, true);
  });
  std::copy_n(sums.data(), count, dw);
  for (size_t i = 1; i < plan.workers(); ++i)
    add_row(sums.data() + static_cast<int64_t>(i) * count, dw, count);
}

#define MINITORCH_CONV(T)                                                       \
  template void conv2d<T>(const ConvShape&, const T*, const T*, const T*, T*);  \
  template void conv2d_grad_input<T>(const ConvShape&, const T*, const T*, T*); \
  template void conv2d_grad_weight<T>(const ConvShape&, const T*, const T*, T*);
MINITORCH_CONV(float)
MINITORCH_CONV(double)
#undef MINITORCH_CONV

}  // namespace minitorch::cpu

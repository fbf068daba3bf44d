#include "cpu/cross_entropy.h"

#include <vector>

#include "base/loop_watch.h"
#include "cpu/softmax.h"

namespace minitorch::cpu {
namespace {

/// What labels, weights and smoothing make of a line.
template <class T>
class Targets {
 public:
  explicit Targets(const ClassScores<T>& s) : s_(s) {
    const auto classes = static_cast<double>(s.lines.length);
    even_ = s.smoothing / classes;
    whole_ = classes;
    if (!s.weight) return;
    whole_ = 0;
    for (int64_t c = 0; c < s.lines.length; ++c) whole_ += s.weight[c];
  }

  bool counts(int64_t line) const { return s_.labels[line] != s_.ignored; }
  double weight(int64_t label) const { return s_.weight ? s_.weight[label] : 1.0; }
  /// Of the label alone, of each class beside its weight, and of all together.
  double hard(int64_t line) const {
    return (1 - s_.smoothing) * weight(s_.labels[line]);
  }
  double even() const { return even_; }
  double total(int64_t line) const { return hard(line) + even_ * whole_; }

 private:
  const ClassScores<T>& s_;
  double even_, whole_;
};

/// The first cell of a line; its others are s.inner apart.
int64_t start_of(const Lines& s, int64_t line) {
  return line / s.inner * s.length * s.inner + line % s.inner;
}

/// dx of contiguous lines, in runs: exp(x - l) * total * g, before targets are taken
/// off.
template <class T>
void shares_of_lines(const ClassScores<T>& s, const ClassLoss<const T>& found,
                     const T* factors, T* dx) {
  const int64_t length = s.lines.length;
  share_lines(s.lines, [&](int64_t first, int64_t last) {
    T shifted[kRunCells];
    for_line_runs(length, first, last, [&](int64_t at, int64_t rows) {
      const int64_t line = at / length;
      const int64_t cells = rows * length;
      for (int64_t part = 0; part < cells; part += kRunCells) {
        const int64_t n = std::min(kRunCells, cells - part);
        T* out = dx + at + part;
        shift_lines(s.x + at + part, found.largest + line, n / rows, rows, shifted);
        lower_lines(shifted, found.logarithm + line, n / rows, rows);
        exp_row(shifted, out, n);
        scale_lines(out, factors + line, n / rows, rows);
      }
    });
  });
}

/// The same of other lines.
template <class T>
void shares_of_columns(const ClassScores<T>& s, const ClassLoss<const T>& found,
                       const T* factors, T* dx) {
  const int64_t group = s.lines.length * s.lines.inner;
  share_columns(s.lines, [&](int64_t at, int64_t columns) {
    const int64_t line = at / group * s.lines.inner + at % group;
    T shifted[kBandColumns];
    for (int64_t c = 0; c < s.lines.length; ++c) {
      const int64_t row = at + c * s.lines.inner;
      shift_columns(s.x + row, found.largest + line, shifted, columns);
      lower_columns(shifted, found.logarithm + line, columns);
      exp_row(shifted, dx + row, columns);
      scale_columns(dx + row, factors + line, columns);
    }
  });
}

/// `body(line)` for each, split over threads; a line takes `cost` steps.
template <class Body>
void for_each_line(const Lines& s, int64_t cost, Body body) {
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.count()),
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / cost)),
      [&](size_t begin, size_t end) {
        for (size_t line = begin; line < end; ++line) body(static_cast<int64_t>(line));
      });
}

}  // namespace

template <class T>
void cross_entropy(const ClassScores<T>& s, const ClassLoss<T>& out) {
  const base::HostLoop loop("cross_entropy");
  log_sums(s.lines, s.x, out.largest, out.logarithm);
  const Targets<T> targets(s);
  const bool smooth = s.smoothing != 0;
  for_each_line(s.lines, smooth ? s.lines.length : 1, [&](int64_t line) {
    out.loss[line] = out.share[line] = T(0);
    if (!targets.counts(line)) return;
    const T* x = s.x + start_of(s.lines, line);
    const double largest = out.largest[line], logarithm = out.logarithm[line];
    const auto cost = [&](int64_t c) {
      return logarithm - (x[c * s.lines.inner] - largest);
    };
    const int64_t label = s.labels[line];
    double loss = targets.hard(line) * cost(label), all = 0;
    for (int64_t c = 0; smooth && c < s.lines.length; ++c)
      all += targets.weight(c) * cost(c);
    if (smooth) loss += targets.even() * all;
    out.loss[line] = static_cast<T>(loss);
    out.share[line] = static_cast<T>(targets.weight(label));
  });
}

template <class T>
void cross_entropy_grad(const ClassScores<T>& s, const ClassLoss<const T>& found,
                        const T* g, T* dx) {
  const base::HostLoop loop("cross_entropy_grad");
  const Targets<T> targets(s);
  std::vector<T> factors(static_cast<size_t>(s.lines.count()));
  for (int64_t line = 0; line < s.lines.count(); ++line) {
    const double total = targets.counts(line) ? targets.total(line) : 0;
    factors[static_cast<size_t>(line)] = static_cast<T>(total * g[line]);
  }
  s.lines.inner == 1 ? shares_of_lines(s, found, factors.data(), dx)
                     : shares_of_columns(s, found, factors.data(), dx);
  const bool smooth = s.smoothing != 0;
  for_each_line(s.lines, smooth ? s.lines.length : 1, [&](int64_t line) {
    T* cells = dx + start_of(s.lines, line);
    if (!targets.counts(line)) {
      // Zero even where the scores are no numbers.
      for (int64_t c = 0; c < s.lines.length; ++c) cells[c * s.lines.inner] = T(0);
      return;
    }
    for (int64_t c = 0; smooth && c < s.lines.length; ++c) {
      const double even = targets.even() * targets.weight(c);
      cells[c * s.lines.inner] -= static_cast<T>(even * g[line]);
    }
    const int64_t label = s.labels[line];
    cells[label * s.lines.inner] -= static_cast<T>(targets.hard(line) * g[line]);
  });
}

#define MINITORCH_CROSS_ENTROPY(T)                                            \
  template void cross_entropy<T>(const ClassScores<T>&, const ClassLoss<T>&); \
  template void cross_entropy_grad<T>(const ClassScores<T>&,                  \
                                      const ClassLoss<const T>&, const T*, T*);
MINITORCH_CROSS_ENTROPY(float)
MINITORCH_CROSS_ENTROPY(double)
#undef MINITORCH_CROSS_ENTROPY

}  // namespace minitorch::cpu

// Owns the host loops that bring groups of cells to mean 0 and variance 1.
#include "cpu/standardise.h"

#include <algorithm>
#include <cmath>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/loop_nest.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kSums = 8;  // independent sums: one or two wide vectors

template <class Body>
void for_groups(const Groups& s, Body body) {
  const auto grain =
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / (s.outer * s.inner)));
  base::shared_pool().parallel_for(static_cast<size_t>(s.groups), grain,
                                   [&](size_t begin, size_t end) {
                                     for (size_t group = begin; group < end; ++group)
                                       body(static_cast<int64_t>(group));
                                   });
}

/// Calls `run(offset)` for each run of s.inner neighbouring cells of a group.
template <class Run>
void for_runs(const Groups& s, int64_t group, Run run) {
  for (int64_t o = 0; o < s.outer; ++o) run((o * s.groups + group) * s.inner);
}

/// Sum of cell(i) over i in [0, count), in float64.
template <class Cell>
double sum_of(int64_t count, Cell cell) {
  double lanes[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int64_t j = 0; j < kSums; ++j) lanes[j] += cell(i + j);
  }
  for (int64_t j = 0; i < count; ++i, ++j) lanes[j] += cell(i);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// What a group's cells are standardised with.
template <class T>
struct Centre {
  T mean, scale;
};

/// y = (x - mean) * scale * weight + bias of a run of `count` cells of a group.
template <class T>
void follow(const Affine<T>& affine, int64_t group, Centre<T> centre, const T* x, T* y,
            int64_t count) {
  const T *weight = affine.weight, *bias = affine.bias;
  if (!affine.of_cells && (weight || bias)) {
    const T w = weight ? weight[group] : T(1), b = bias ? bias[group] : T(0);
    for (int64_t i = 0; i < count; ++i)
      y[i] = (x[i] - centre.mean) * centre.scale * w + b;
  } else if (weight && bias) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = (x[i] - centre.mean) * centre.scale * weight[i] + bias[i];
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - centre.mean) * centre.scale;
    for (int64_t i = 0; weight && i < count; ++i) y[i] *= weight[i];
    for (int64_t i = 0; bias && i < count; ++i) y[i] += bias[i];
  }
}

/// Sums over a group: of h, and of h * z.
struct Sums {
  double plain = 0, along = 0;
};

/// dx of a group, `arrived(i, at)` being g, of which weight has its part, at cell i of
/// the run that begins at `at`; `share` is a weight of the whole group.
template <class T, class Arrived>
Sums group_grad(const Groups& s, int64_t group, const T* x, Centre<T> centre, T share,
                Arrived arrived, T* dx) {
  const auto cells = static_cast<double>(s.outer * s.inner);
  Sums sums;
  for_runs(s, group, [&](int64_t at) {
    sums.plain +=
        sum_of(s.inner, [&](int64_t i) -> double { return arrived(at + i, at); });
    sums.along += sum_of(s.inner, [&](int64_t i) -> double {
      return arrived(at + i, at) * ((x[at + i] - centre.mean) * centre.scale);
    });
  });
  const auto constant = static_cast<T>(sums.plain / cells);
  const auto slope = static_cast<T>(sums.along / cells) * centre.scale;
  const T whole = centre.scale * share;
  for_runs(s, group, [&](int64_t at) {
    for (int64_t i = at; i < at + s.inner; ++i)
      dx[i] = whole * (arrived(i, at) - constant - (x[i] - centre.mean) * slope);
  });
  return sums;
}

}  // namespace

template <class T>
void standardise(const Groups& s, double epsilon, const T* x, const Affine<T>& affine,
                 T* y, T* mean, T* variance, T* scale) {
  const base::HostLoop loop("standardise");
  const auto cells = static_cast<double>(s.outer * s.inner);
  for_groups(s, [&](int64_t group) {
    double sum = 0, squares = 0;
    for_runs(s, group, [&](int64_t at) {
      sum += sum_of(s.inner, [&](int64_t i) -> double { return x[at + i]; });
    });
    const double middle = sum / cells;
    for_runs(s, group, [&](int64_t at) {
      squares += sum_of(s.inner, [&](int64_t i) {
        const double off = x[at + i] - middle;
        return off * off;
      });
    });
    const double spread = squares / cells;
    const auto factor = static_cast<T>(1 / std::sqrt(spread + epsilon));
    const auto centre = static_cast<T>(middle);
    for_runs(s, group, [&](int64_t at) {
      follow<T>(affine, group, {centre, factor}, x + at, y + at, s.inner);
    });
    mean[group] = centre;
    variance[group] = static_cast<T>(spread);
    scale[group] = factor;
  });
}

template <class T>
void normalise(const Groups& s, double epsilon, const T* x, const T* mean,
               const T* variance, const Affine<T>& affine, T* y) {
  const base::HostLoop loop("normalise");
  for_groups(s, [&](int64_t group) {
    const T centre = mean[group];
    const auto factor =
        static_cast<T>(1 / std::sqrt(static_cast<double>(variance[group]) + epsilon));
    for_runs(s, group, [&](int64_t at) {
      follow<T>(affine, group, {centre, factor}, x + at, y + at, s.inner);
    });
  });
}

template <class T>
void standardise_grad(const Groups& s, const T* g, const T* x, const T* mean,
                      const T* scale, const Affine<T>& affine, T* dx, T* dweight,
                      T* dbias) {
  const base::HostLoop loop("standardise_grad");
  const T* w = affine.weight;
  for_groups(s, [&](int64_t group) {
    const Centre<T> centre{mean[group], scale[group]};
    if (w && affine.of_cells) {
      const auto weighted = [&](int64_t i, int64_t at) { return g[i] * w[i - at]; };
      group_grad<T>(s, group, x, centre, T(1), weighted, dx);
      return;
    }
    const auto plain = [&](int64_t i, int64_t) { return g[i]; };
    const Sums sums =
        group_grad<T>(s, group, x, centre, w ? w[group] : T(1), plain, dx);
    if (dweight) dweight[group] = static_cast<T>(sums.along);
    if (dbias) dbias[group] = static_cast<T>(sums.plain);
  });
}

template <class T>
void standardise_grad_weight(const Groups& s, const T* g, const T* x, const T* mean,
                             const T* scale, T* dweight, T* dbias) {
  const base::HostLoop loop("standardise_grad_weight");
  constexpr size_t kCellsTogether = 64;  // of a row: some cache lines
  const auto cells = static_cast<size_t>(s.inner);
  base::shared_pool().parallel_for(cells, kCellsTogether, [=](size_t from, size_t to) {
    for (size_t first = from; first < to; first += kCellsTogether) {
      const size_t count = std::min(kCellsTogether, to - first);
      double sum[kCellsTogether] = {}, along[kCellsTogether] = {};
      for (int64_t group = 0; group < s.groups; ++group) {
        const size_t at = static_cast<size_t>(group) * cells + first;
        const T centre = mean[group], factor = scale[group];
        for (size_t i = 0; i < count; ++i) {
          sum[i] += g[at + i];
          along[i] += g[at + i] * ((x[at + i] - centre) * factor);
        }
      }
      for (size_t i = 0; i < count; ++i) {
        dbias[first + i] = static_cast<T>(sum[i]);
        dweight[first + i] = static_cast<T>(along[i]);
      }
    }
  });
}

#define MINITORCH_STANDARDISE(T)                                                      \
  template void standardise<T>(const Groups&, double, const T*, const Affine<T>&, T*, \
                               T*, T*, T*);                                           \
  template void normalise<T>(const Groups&, double, const T*, const T*, const T*,     \
                             const Affine<T>&, T*);                                   \
  template void standardise_grad<T>(const Groups&, const T*, const T*, const T*,      \
                                    const T*, const Affine<T>&, T*, T*, T*);          \
  template void standardise_grad_weight<T>(const Groups&, const T*, const T*,         \
                                           const T*, const T*, T*, T*);
MINITORCH_STANDARDISE(float)
MINITORCH_STANDARDISE(double)
#undef MINITORCH_STANDARDISE

}  // namespace minitorch::cpu

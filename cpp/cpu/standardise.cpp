// Owns the host loops that bring groups of cells to mean 0 and variance 1.
#include "cpu/standardise.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

template <class T>
void standardise(const Groups& s, double epsilon, const T* x, T* y, T* mean,
                 T* variance, T* scale) {
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
      for (int64_t i = at; i < at + s.inner; ++i) y[i] = (x[i] - centre) * factor;
    });
    mean[group] = centre;
    variance[group] = static_cast<T>(spread);
    scale[group] = factor;
  });
}

template <class T>
void standardise_grad(const Groups& s, const T* g, const T* x, const T* mean,
                      const T* scale, T* dx) {
  const auto cells = static_cast<double>(s.outer * s.inner);
  for_groups(s, [&](int64_t group) {
    const T centre = mean[group], factor = scale[group];
    double sum = 0, along = 0;
    for_runs(s, group, [&](int64_t at) {
      sum += sum_of(s.inner, [&](int64_t i) -> double { return g[at + i]; });
      along += sum_of(s.inner, [&](int64_t i) -> double {
        return g[at + i] * ((x[at + i] - centre) * factor);
      });
    });
    const auto constant = static_cast<T>(sum / cells);
    const auto slope = static_cast<T>(along / cells) * factor;
    for_runs(s, group, [&](int64_t at) {
      for (int64_t i = at; i < at + s.inner; ++i)
        dx[i] = factor * (g[i] - constant - (x[i] - centre) * slope);
    });
  });
}

#define MINITORCH_STANDARDISE(T)                                                 \
  template void standardise<T>(const Groups&, double, const T*, T*, T*, T*, T*); \
  template void standardise_grad<T>(const Groups&, const T*, const T*, const T*, \
                                    const T*, T*);
MINITORCH_STANDARDISE(float)
MINITORCH_STANDARDISE(double)
#undef MINITORCH_STANDARDISE

}  // namespace minitorch::cpu

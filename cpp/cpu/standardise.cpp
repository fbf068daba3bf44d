#include "cpu/standardise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/builds.h"
#include "cpu/loop_nest.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kInOneSum = 4096;  // cells before a sum goes to float64

/// The cells of a group: `outer` runs of `inner`, `step` apart.
struct Runs {
  int64_t outer, inner, step;
};

/// Two sums over a group: of h, and of h * z.
struct Sums {
  double plain = 0, along = 0;
};

/// A vector as wide as any processor has, so that sums are the same on all.
template <class T>
struct Wide {
  static constexpr int64_t kBytes = 64, kLanes = kBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kBytes)));
};

/// Which sums: of h and h * (x - centre), where h is g, or g * weight; or of d and
/// d * d with d = x - centre.
enum class Of { Cells, Gradient, Weighted };

template <Of kOf, class T>
[[gnu::always_inline]] inline void add_cells(const T* g, const T* x, const T* weight,
                                             T centre, typename Wide<T>::Vector& plain,
                                             typename Wide<T>::Vector& along) {
  typename Wide<T>::Vector d, h, w;
  std::memcpy(&d, x, sizeof(d));
  d -= centre;
  h = d;
  if constexpr (kOf != Of::Cells) std::memcpy(&h, g, sizeof(h));
  if constexpr (kOf == Of::Weighted) {
    std::memcpy(&w, weight, sizeof(w));
    h *= w;
  }
  plain += h;
  along += h * d;
}

template <Of kOf, class T>
[[gnu::always_inline]] inline Sums sums_of_group(const Runs& s, const T* g, const T* x,
                                                 const T* weight, T centre) {
  using Vector = typename Wide<T>::Vector;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  Sums sums;
  Vector plain0{}, plain1{}, along0{}, along1{};
  int64_t waiting = 0;
  const auto flush = [&]() __attribute__((always_inline)) {
    plain0 += plain1;
    along0 += along1;
    for (int64_t j = 0; j < kLanes; ++j) {
      sums.plain += plain0[j];
      sums.along += along0[j];
    }
    plain0 = plain1 = along0 = along1 = Vector{};
    waiting = 0;
  };
  for (int64_t o = 0; o < s.outer; ++o, x += s.step, g += s.step) {
    int64_t i = 0;
    for (; i + 2 * kLanes <= s.inner; i += 2 * kLanes) {
      add_cells<kOf>(g + i, x + i, weight + i, centre, plain0, along0);
      add_cells<kOf>(g + i + kLanes, x + i + kLanes, weight + i + kLanes, centre,
                     plain1, along1);
      if ((waiting += 2 * kLanes) >= kInOneSum) flush();
    }
    if (i + kLanes <= s.inner) {
      add_cells<kOf>(g + i, x + i, weight + i, centre, plain0, along0);
      i += kLanes;
      waiting += kLanes;
    }
    for (; i < s.inner; ++i) {
      const T d = x[i] - centre;
      const T h = kOf == Of::Cells ? d : kOf == Of::Gradient ? g[i] : g[i] * weight[i];
      sums.plain += h;
      sums.along += static_cast<double>(h) * d;
    }
  }
  if (waiting > 0) flush();
  return sums;
}

/// What a group's cells are standardised with.
template <class T>
struct Centre {
  T mean, scale;
};

#define MINITORCH_GROUP_STEPS(T)                                                       \
  /** Of d = x - centre: sums of d and of d * d. */                                    \
  MINITORCH_BUILDS Sums moments(const Runs& s, const T* x, T centre) {                 \
    return sums_of_group<Of::Cells>(s, x, x, x, centre);                               \
  }                                                                                    \
  MINITORCH_BUILDS Sums gradient_sums(const Runs& s, const T* g, const T* x,           \
                                      const T* weight, T centre) {                     \
    return weight ? sums_of_group<Of::Weighted>(s, g, x, weight, centre)               \
                  : sums_of_group<Of::Gradient>(s, g, x, x, centre);                   \
  }                                                                                    \
  /** y = (x - mean) * scale * weight + bias, one of each for the group. */            \
  MINITORCH_BUILDS void follow_group(const Runs& s, const T* __restrict x,             \
                                     Centre<T> centre, T w, T b, T* __restrict y) {    \
    for (int64_t o = 0; o < s.outer; ++o) {                                            \
      const int64_t at = o * s.step;                                                   \
      for (int64_t i = at; i < at + s.inner; ++i)                                      \
        y[i] = (x[i] - centre.mean) * centre.scale * w + b;                            \
    }                                                                                  \
  }                                                                                    \
  /** The same with one of each for each cell of the only run. */                      \
  MINITORCH_BUILDS void follow_cells(const T* __restrict x, Centre<T> centre,          \
                                     const T* __restrict w, const T* __restrict b,     \
                                     T* __restrict y, int64_t count) {                 \
    if (w && b) {                                                                      \
      for (int64_t i = 0; i < count; ++i)                                              \
        y[i] = (x[i] - centre.mean) * centre.scale * w[i] + b[i];                      \
      return;                                                                          \
    }                                                                                  \
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - centre.mean) * centre.scale;    \
    for (int64_t i = 0; w && i < count; ++i) y[i] *= w[i];                             \
    for (int64_t i = 0; b && i < count; ++i) y[i] += b[i];                             \
  }                                                                                    \
  /** dx = whole * (g - constant - (x - mean) * slope) */                              \
  MINITORCH_BUILDS void back_group(const Runs& s, const T* __restrict g,               \
                                   const T* __restrict x, T mean, T whole, T constant, \
                                   T slope, T* __restrict dx) {                        \
    for (int64_t o = 0; o < s.outer; ++o) {                                            \
      const int64_t at = o * s.step;                                                   \
      for (int64_t i = at; i < at + s.inner; ++i)                                      \
        dx[i] = whole * (g[i] - constant - (x[i] - mean) * slope);                     \
    }                                                                                  \
  }                                                                                    \
  /** The same of g * weight, in the only run. */                                      \
  MINITORCH_BUILDS void back_cells(const T* __restrict g, const T* __restrict w,       \
                                   const T* __restrict x, T mean, T whole, T constant, \
                                   T slope, T* __restrict dx, int64_t count) {         \
    for (int64_t i = 0; i < count; ++i)                                                \
      dx[i] = whole * (g[i] * w[i] - constant - (x[i] - mean) * slope);                \
  }                                                                                    \
  /** sum += g and along += g * z of one group, cell by cell. */                       \
  MINITORCH_BUILDS void add_parameter_grads(                                           \
      const T* __restrict g, const T* __restrict x, Centre<T> centre,                  \
      T* __restrict sum, T* __restrict along, int64_t count) {                         \
    for (int64_t i = 0; i < count; ++i) {                                              \
      sum[i] += g[i];                                                                  \
      along[i] += g[i] * ((x[i] - centre.mean) * centre.scale);                        \
    }                                                                                  \
  }
MINITORCH_GROUP_STEPS(float)
MINITORCH_GROUP_STEPS(double)
#undef MINITORCH_GROUP_STEPS

/// `body(group, offset of its first cell)` for each group, split over threads.
template <class Body>
void for_groups(const Groups& s, Body body) {
  const auto grain =
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / (s.outer * s.inner)));
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.groups), grain, [&](size_t begin, size_t end) {
        for (size_t group = begin; group < end; ++group)
          body(static_cast<int64_t>(group), static_cast<int64_t>(group) * s.inner);
      });
}

Runs runs_of(const Groups& s) { return {s.outer, s.inner, s.groups * s.inner}; }

/// y = (x - mean) * scale * weight + bias of a group whose first cell is x[0].
template <class T>
void follow(const Runs& runs, const Affine<T>& affine, int64_t group, Centre<T> centre,
            const T* x, T* y) {
  const T *weight = affine.weight, *bias = affine.bias;
  if (affine.of_cells) {
    follow_cells(x, centre, weight, bias, y, runs.inner);
  } else {
    follow_group(runs, x, centre, weight ? weight[group] : T(1),
                 bias ? bias[group] : T(0), y);
  }
}

}  // namespace

template <class T>
void standardise(const Groups& s, double epsilon, const T* x, const Affine<T>& affine,
                 T* y, T* mean, T* variance, T* scale) {
  const base::HostLoop loop("standardise");
  const auto cells = static_cast<double>(s.outer * s.inner);
  const Runs runs = runs_of(s);
  for_groups(s, [&](int64_t group, int64_t at) {
    // The second pass corrects what the first one's rounding left of the mean.
    const auto first = static_cast<T>(moments(runs, x + at, T(0)).plain / cells);
    const Sums about = moments(runs, x + at, first);
    const double off = about.plain / cells;
    const double spread = std::max(0.0, about.along / cells - off * off);
    const Centre<T> centre{static_cast<T>(first + off),
                           static_cast<T>(1 / std::sqrt(spread + epsilon))};
    follow<T>(runs, affine, group, centre, x + at, y + at);
    mean[group] = centre.mean;
    variance[group] = static_cast<T>(spread);
    scale[group] = centre.scale;
  });
}

template <class T>
void normalise(const Groups& s, double epsilon, const T* x, const T* mean,
               const T* variance, const Affine<T>& affine, T* y) {
  const base::HostLoop loop("normalise");
  const Runs runs = runs_of(s);
  for_groups(s, [&](int64_t group, int64_t at) {
    const auto factor =
        static_cast<T>(1 / std::sqrt(static_cast<double>(variance[group]) + epsilon));
    follow<T>(runs, affine, group, {mean[group], factor}, x + at, y + at);
  });
}

template <class T>
void standardise_grad(const Groups& s, const T* g, const T* x, const T* mean,
                      const T* scale, const Affine<T>& affine, T* dx, T* dweight,
                      T* dbias) {
  const base::HostLoop loop("standardise_grad");
  const auto cells = static_cast<double>(s.outer * s.inner);
  const Runs runs = runs_of(s);
  const T* of_cells = affine.of_cells ? affine.weight : nullptr;
  const T* of_groups = affine.of_cells ? nullptr : affine.weight;
  for_groups(s, [&](int64_t group, int64_t at) {
    const T centre = mean[group], factor = scale[group];
    const Sums sums = gradient_sums(runs, g + at, x + at, of_cells, centre);
    const auto constant = static_cast<T>(sums.plain / cells);
    const auto slope = static_cast<T>(sums.along / cells * factor) * factor;
    const T whole = of_groups ? factor * of_groups[group] : factor;
    if (of_cells) {
      back_cells(g + at, of_cells, x + at, centre, whole, constant, slope, dx + at,
                 s.inner);
    } else {
      back_group(runs, g + at, x + at, centre, whole, constant, slope, dx + at);
    }
    if (dweight) dweight[group] = static_cast<T>(sums.along * factor);
    if (dbias) dbias[group] = static_cast<T>(sums.plain);
  });
}

template <class T>
void standardise_grad_weight(const Groups& s, const T* g, const T* x, const T* mean,
                             const T* scale, T* dweight, T* dbias) {
  const base::HostLoop loop("standardise_grad_weight");
  constexpr size_t kCellsTogether = 128;  // of a row: some cache lines
  constexpr int64_t kGroupsInSum = 64;    // before the sums go to float64
  const auto cells = static_cast<size_t>(s.inner);
  base::shared_pool().parallel_for(cells, kCellsTogether, [=](size_t from, size_t to) {
    for (size_t first = from; first < to; first += kCellsTogether) {
      const size_t count = std::min(kCellsTogether, to - first);
      double sums[kCellsTogether] = {}, alongs[kCellsTogether] = {};
      for (int64_t begin = 0; begin < s.groups; begin += kGroupsInSum) {
        T sum[kCellsTogether] = {}, along[kCellsTogether] = {};
        const int64_t end = std::min(begin + kGroupsInSum, s.groups);
        for (int64_t group = begin; group < end; ++group) {
          const size_t at = static_cast<size_t>(group) * cells + first;
          add_parameter_grads(g + at, x + at, {mean[group], scale[group]}, sum, along,
                              static_cast<int64_t>(count));
        }
        for (size_t i = 0; i < count; ++i) {
          sums[i] += sum[i];
          alongs[i] += along[i];
        }
      }
      for (size_t i = 0; i < count; ++i) {
        dbias[first + i] = static_cast<T>(sums[i]);
        dweight[first + i] = static_cast<T>(alongs[i]);
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

#include "cpu/descent.h"

#include <cmath>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/builds.h"
#include "cpu/loop_nest.h"

namespace minitorch::cpu {
namespace {

/// base ** exponent by repeated squaring, as kernels/python_math.cuh does it.
double power_of(double base, int64_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

/// Calls `part(first, count)` for the parts of a parameter, split over threads.
template <class Part>
void share_cells(int64_t count, Part part) {
  base::shared_pool().parallel_for(
      static_cast<size_t>(count), kGrain, [&](size_t begin, size_t end) {
        part(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
      });
}

/// A step's numbers as T. Which terms count is asked before a loop, not in it: a
/// condition is one of the constants below.
template <class T>
struct SgdNumbers {
  T rate, momentum, taken, decay;
};
template <class T>
struct AdamNumbers {
  T b1, b2, c1, c2, shrunk, grown, epsilon, decay, kept;
};

/// The gradient with the pull towards 0.
template <bool kDecays, class T>
[[gnu::always_inline]] inline T pulled(T gradient, T value, T decay) {
  return kDecays ? gradient + decay * value : gradient;
}

template <bool kDecays, class T>
[[gnu::always_inline]] inline void plain_loop(const SgdNumbers<T>& by,
                                              const T* __restrict gradient,
                                              T* __restrict value, int64_t count) {
  const auto [rate, momentum, taken, decay] = by;
  for (int64_t i = 0; i < count; ++i)
    value[i] = value[i] - rate * pulled<kDecays>(gradient[i], value[i], decay);
}

template <bool kDecays, bool kAhead, bool kFirst, class T>
[[gnu::always_inline]] inline void moving_loop(const SgdNumbers<T>& by,
                                               const T* __restrict gradient,
                                               T* __restrict value,
                                               T* __restrict moving, int64_t count) {
  const auto [rate, momentum, taken, decay] = by;
  for (int64_t i = 0; i < count; ++i) {
    const T g = pulled<kDecays>(gradient[i], value[i], decay);
    const T moved = kFirst ? g : momentum * moving[i] + taken * g;
    moving[i] = moved;
    value[i] = value[i] - rate * (kAhead ? g + momentum * moved : moved);
  }
}

/// The root is IEEE's, in vectors, too, so that results are the same on all processors.
template <bool kDecays, class T>
[[gnu::always_inline]] inline void adam_loop(const AdamNumbers<T>& by,
                                             const T* __restrict gradient,
                                             T* __restrict value, T* __restrict mean,
                                             T* __restrict square, int64_t count) {
  const auto [b1, b2, c1, c2, shrunk, grown, epsilon, decay, kept] = by;
  for (int64_t i = 0; i < count; ++i) {
    const T old = value[i] * kept;
    const T g = pulled<kDecays>(gradient[i], old, decay);
    const T first = b1 * mean[i] + c1 * g, second = b2 * square[i] + c2 * g * g;
    mean[i] = first;
    square[i] = second;
    value[i] = old - shrunk * (first / (std::sqrt(second / grown) + epsilon));
  }
}

#define MINITORCH_DESCENT_PARTS(T)                                                   \
  MINITORCH_BUILDS void plain_part(const SgdNumbers<T>& by, const T* gradient,       \
                                   T* value, int64_t count) {                        \
    by.decay != 0 ? plain_loop<true>(by, gradient, value, count)                     \
                  : plain_loop<false>(by, gradient, value, count);                   \
  }                                                                                  \
  MINITORCH_BUILDS void moving_part(const SgdNumbers<T>& by, bool ahead, bool first, \
                                    const T* gradient, T* value, T* moving,          \
                                    int64_t count) {                                 \
    switch ((by.decay != 0 ? 4 : 0) + (ahead ? 2 : 0) + (first ? 1 : 0)) {           \
      case 0:                                                                        \
        return moving_loop<false, false, false>(by, gradient, value, moving, count); \
      case 1:                                                                        \
        return moving_loop<false, false, true>(by, gradient, value, moving, count);  \
      case 2:                                                                        \
        return moving_loop<false, true, false>(by, gradient, value, moving, count);  \
      case 3:                                                                        \
        return moving_loop<false, true, true>(by, gradient, value, moving, count);   \
      case 4:                                                                        \
        return moving_loop<true, false, false>(by, gradient, value, moving, count);  \
      case 5:                                                                        \
        return moving_loop<true, false, true>(by, gradient, value, moving, count);   \
      case 6:                                                                        \
        return moving_loop<true, true, false>(by, gradient, value, moving, count);   \
      default:                                                                       \
        return moving_loop<true, true, true>(by, gradient, value, moving, count);    \
    }                                                                                \
  }                                                                                  \
  MINITORCH_BUILDS void adam_part(const AdamNumbers<T>& by, const T* gradient,       \
                                  T* value, T* mean, T* square, int64_t count) {     \
    by.decay != 0 ? adam_loop<true>(by, gradient, value, mean, square, count)        \
                  : adam_loop<false>(by, gradient, value, mean, square, count);      \
  }
MINITORCH_DESCENT_PARTS(float)
MINITORCH_DESCENT_PARTS(double)
#undef MINITORCH_DESCENT_PARTS

}  // namespace

template <class T>
void sgd(const Sgd& how, bool first, const T* gradient, T* value, T* moving,
         int64_t count) {
  const base::HostLoop loop("sgd");
  const SgdNumbers<T> by{static_cast<T>(how.rate), static_cast<T>(how.momentum),
                         static_cast<T>(1 - how.dampening),
                         static_cast<T>(how.weight_decay)};
  share_cells(count, [&](int64_t at, int64_t n) {
    if (!moving) return plain_part(by, gradient + at, value + at, n);
    moving_part(by, how.nesterov, first, gradient + at, value + at, moving + at, n);
  });
}

template <class T>
void adam(const Adam& how, int64_t step, const T* gradient, T* value, T* mean,
          T* square, int64_t count) {
  const base::HostLoop loop("adam");
  const AdamNumbers<T> by{
      static_cast<T>(how.b1),
      static_cast<T>(how.b2),
      static_cast<T>(1 - how.b1),
      static_cast<T>(1 - how.b2),
      static_cast<T>(how.rate / (1 - power_of(how.b1, step))),
      static_cast<T>(1 - power_of(how.b2, step)),
      static_cast<T>(how.epsilon),
      static_cast<T>(how.decoupled ? 0 : how.weight_decay),
      static_cast<T>(how.decoupled ? 1 - how.rate * how.weight_decay : 1.0)};
  share_cells(count, [&](int64_t at, int64_t n) {
    adam_part(by, gradient + at, value + at, mean + at, square + at, n);
  });
}

#define MINITORCH_DESCENT(T)                                         \
  template void sgd<T>(const Sgd&, bool, const T*, T*, T*, int64_t); \
  template void adam<T>(const Adam&, int64_t, const T*, T*, T*, T*, int64_t);
MINITORCH_DESCENT(float)
MINITORCH_DESCENT(double)
#undef MINITORCH_DESCENT

}  // namespace minitorch::cpu

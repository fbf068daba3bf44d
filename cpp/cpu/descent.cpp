// Owns the host loops of optimizers' steps. Each cell is computed as the kernels do it,
// step by step.
#include "cpu/descent.h"

#include <cmath>
#include <type_traits>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
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

/// Calls `body(i)` for each cell. It is copied, so that loops keep its numbers in
/// registers.
template <class Body>
void for_cells(int64_t count, Body body) {
  base::shared_pool().parallel_for(static_cast<size_t>(count), kGrain,
                                   [body](size_t begin, size_t end) {
                                     for (size_t i = begin; i < end; ++i) body(i);
                                   });
}

/// Calls `loop` with the condition as a constant: none is asked in a loop.
template <class Loop>
void decided(bool condition, Loop loop) {
  condition ? loop(std::true_type{}) : loop(std::false_type{});
}

/// The gradient with the pull towards 0.
template <bool kDecays, class T>
T pulled(T gradient, T value, T decay) {
  return kDecays ? gradient + decay * value : gradient;
}

template <class T>
void sgd_with_momentum(const Sgd& how, bool first, const T* gradient, T* value,
                       T* moving, int64_t count) {
  const auto rate = static_cast<T>(how.rate), momentum = static_cast<T>(how.momentum);
  const auto taken = static_cast<T>(1 - how.dampening);
  const auto decay = static_cast<T>(how.weight_decay);
  decided(decay != 0, [=](auto decays) {
    decided(how.nesterov, [=](auto ahead) {
      decided(first, [=](auto starts) {
        for_cells(count, [=](size_t i) {
          const T g = pulled<decays>(gradient[i], value[i], decay);
          const T moved = starts ? g : momentum * moving[i] + taken * g;
          moving[i] = moved;
          value[i] = value[i] - rate * (ahead ? g + momentum * moved : moved);
        });
      });
    });
  });
}

}  // namespace

template <class T>
void sgd(const Sgd& how, bool first, const T* gradient, T* value, T* moving,
         int64_t count) {
  const base::HostLoop loop("sgd");
  if (moving) return sgd_with_momentum(how, first, gradient, value, moving, count);
  const auto rate = static_cast<T>(how.rate), decay = static_cast<T>(how.weight_decay);
  decided(decay != 0, [=](auto decays) {
    for_cells(count, [=](size_t i) {
      value[i] = value[i] - rate * pulled<decays>(gradient[i], value[i], decay);
    });
  });
}

template <class T>
void adam(const Adam& how, int64_t step, const T* gradient, T* value, T* mean,
          T* square, int64_t count) {
  const base::HostLoop loop("adam");
  const auto shrunk = static_cast<T>(how.rate / (1 - power_of(how.b1, step)));
  const auto grown = static_cast<T>(1 - power_of(how.b2, step));
  const auto b1 = static_cast<T>(how.b1), b2 = static_cast<T>(how.b2);
  const auto c1 = static_cast<T>(1 - how.b1), c2 = static_cast<T>(1 - how.b2);
  const auto epsilon = static_cast<T>(how.epsilon);
  const auto decay = static_cast<T>(how.decoupled ? 0 : how.weight_decay);
  const auto kept =
      static_cast<T>(how.decoupled ? 1 - how.rate * how.weight_decay : 1.0);
  decided(decay != 0, [=](auto decays) {
    for_cells(count, [=](size_t i) {
      const T old = value[i] * kept;
      const T g = pulled<decays>(gradient[i], old, decay);
      const T first = b1 * mean[i] + c1 * g, second = b2 * square[i] + c2 * g * g;
      mean[i] = first;
      square[i] = second;
      value[i] = old - shrunk * (first / (std::sqrt(second / grown) + epsilon));
    });
  });
}

#define MINITORCH_DESCENT(T)                                         \
  template void sgd<T>(const Sgd&, bool, const T*, T*, T*, int64_t); \
  template void adam<T>(const Adam&, int64_t, const T*, T*, T*, T*, int64_t);
MINITORCH_DESCENT(float)
MINITORCH_DESCENT(double)
#undef MINITORCH_DESCENT

}  // namespace minitorch::cpu

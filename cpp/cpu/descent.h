// The host loops of optimizers' steps, in place over rows of cells.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

/// Stochastic gradient descent, as kernels/sgd.cu says it.
struct Sgd {
  double rate, momentum, dampening, weight_decay;
  bool nesterov;
};

/// Adam, as kernels/adam.cu says it; `decoupled` is AdamW.
struct Adam {
  double rate, b1, b2, epsilon, weight_decay;
  bool decoupled;
};

/// One step over `count` cells; `moving` is null without momentum, and written but not
/// read at the `first` step.
template <class T>
void sgd(const Sgd& how, bool first, const T* gradient, T* value, T* moving,
         int64_t count);

/// Step number `step`, from 1.
template <class T>
void adam(const Adam& how, int64_t step, const T* gradient, T* value, T* mean,
          T* square, int64_t count);

}  // namespace minitorch::cpu

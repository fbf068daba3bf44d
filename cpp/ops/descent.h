// Optimizers' steps on both devices: a parameter and its state change in their own
// memory, in one launch.
#pragma once

#include "array/array.h"
#include "cpu/descent.h"

namespace minitorch::ops {

/// One step of `value`, of a floating dtype. `moving` has its shape and dtype, and is
/// undefined without momentum; at the `first` step it is only written. ValueError for
/// arrays that do not fit, and for memory that is read-only or shared among elements.
void sgd_step(const cpu::Sgd& how, bool first, const array::Array& value,
              const array::Array& gradient, const array::Array& moving);

/// One step with the running means `mean` and `square` of the gradient and its square.
/// Its number, from 1, is `step`; or, if `counted` is defined, one float32 on `cuda`,
/// which this step raises by 1 first.
void adam_step(const cpu::Adam& how, int64_t step, const array::Array& counted,
               const array::Array& value, const array::Array& gradient,
               const array::Array& mean, const array::Array& square);

}  // namespace minitorch::ops

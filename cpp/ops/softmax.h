// Owns log-softmax and one-hot on both devices; knows no gradients.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// x - log(sum(exp(x))) along `dim`, shifted by the maximum so that nothing overflows.
array::Array log_softmax(const array::Array& a, int64_t dim);

/// Labels (n,) -> (n, classes) of `dtype`: 1 where the column is the label. `where`
/// names the op in the error for a label outside 0 … classes - 1.
array::Array one_hot(const array::Array& labels, int64_t classes, array::Dtype dtype,
                     const char* where);

}  // namespace minitorch::ops

// Softmax, its logarithm and one-hot on both devices; knows no gradients' history.
#pragma once

#include "array/array.h"
#include "cpu/softmax.h"

namespace minitorch::ops {

/// exp(x) / sum(exp(x)) along `dim`, or its logarithm, shifted by the maximum so that
/// nothing overflows. 16-bit floats are computed in float32 and rounded once.
array::Array softmax(cpu::Softmax kind, const array::Array& a, int64_t dim);

/// softmax of a (…, targets, sources) along the sources, of which target i sees the
/// first i + 1; the others get 0.
array::Array causal_softmax(const array::Array& a);

/// The gradient of `a` from `g`, that of the result `y`, both of y's dtype and shape.
array::Array softmax_grad(cpu::Softmax kind, const array::Array& g,
                          const array::Array& y, int64_t dim);

/// `shape` seen as lines along its dimension `d`.
cpu::Lines lines_along(const array::Shape& shape, size_t d);

/// Labels (n,) -> (n, classes) of `dtype`: 1 where the column is the label. `where`
/// names the op in the error for a label outside 0 … classes - 1.
array::Array one_hot(const array::Array& labels, int64_t classes, array::Dtype dtype,
                     const char* where);

}  // namespace minitorch::ops

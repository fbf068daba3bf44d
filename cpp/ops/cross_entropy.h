// The loss on the number of a class, from scores, on both devices; knows no gradients'
// history.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

enum class Reduction { None, Sum, Mean };

/// What scores (n, classes, …), or (classes,), are compared with.
struct ClassTargets {
  array::Array labels;  // (n, …), or (); integers
  array::Array weight;  // (classes,) of the scores' dtype, or undefined: 1 each
  int64_t ignored;      // a label that counts nothing
  double smoothing;     // share of each target that goes to all classes alike
  Reduction reduction;
};

/// The loss, and what its gradient needs.
struct CrossEntropy {
  array::Array loss;  // of the scores' dtype: () or, without reduction, as the labels
  array::Array share = {}, largest = {},
               logarithm = {};  // of each label (cpu/cross_entropy.h)
  array::Array total = {};      // (1,): the sum of shares
};

/// ValueError unless labels have the shape of the scores without their classes and
/// there is a class; IndexError of the op `where` for a label that is no class.
CrossEntropy cross_entropy(const array::Array& scores, const ClassTargets& targets,
                           const char* where);

/// The gradient of the scores from that of the loss.
array::Array cross_entropy_grad(const array::Array& g, const array::Array& scores,
                                const ClassTargets& targets, const CrossEntropy& found);

}  // namespace minitorch::ops

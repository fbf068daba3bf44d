// The host loops of the loss on the number of a class, from scores, and the way back of
// a gradient.
#pragma once

#include "cpu/lines.h"

namespace minitorch::cpu {

/// Scores of classes along lines, and one label a line. `weight` has one number a
/// class, or is null: 1. A line whose label is `ignored` counts nothing; any other
/// label lies within the line. `smoothing` of each target goes to all classes alike.
template <class T>
struct ClassScores {
  Lines lines;
  const T* x;
  const int64_t* labels;
  const T* weight;
  int64_t ignored;
  double smoothing;
};

/// Of each line: its loss and the weight of its label, both 0 if it is ignored; and
/// what the gradient needs: the largest score, and the logarithm of the sum of the
/// exponentials above it.
template <class T>
struct ClassLoss {
  T *loss, *share, *largest, *logarithm;
};

/// loss = (1 - smoothing) * w[label] * (l - x[label]) + smoothing / classes * sum of
/// w * (l - x), where l is the logarithm of the sum of exp(x).
template <class T>
void cross_entropy(const ClassScores<T>& scores, const ClassLoss<T>& out);

/// dx from `g`, the gradient of each line's loss.
template <class T>
void cross_entropy_grad(const ClassScores<T>& scores, const ClassLoss<const T>& found,
                        const T* g, T* dx);

}  // namespace minitorch::cpu

// The host loops of softmax, its logarithm and what both are made of, along one
// dimension, and the way back of a gradient.
#pragma once

#include "cpu/lines.h"

namespace minitorch::cpu {

enum class Softmax { Plain, Logarithm };

/// out = exp(x - m) / s with m the largest cell of a line and s the sum of its
/// exp(x - m); or of the logarithm, x - m - log(s).
template <class T>
void softmax(const Lines& lines, Softmax kind, const T* x, T* out);

/// The same of contiguous lines that come in blocks of `targets`: line i of a block
/// sees its first i + 1 cells, and has 0 for the others.
template <class T>
void causal_softmax(const Lines& lines, int64_t targets, const T* x, T* out);

/// dx = y * (g - sum of g * y), or of the logarithm g - exp(y) * sum of g: the gradient
/// of x from that of the result y, the sums over each line.
template <class T>
void softmax_grad(const Lines& lines, Softmax kind, const T* g, const T* y, T* dx);

/// Of each line m and log(s), (outer, inner).
template <class T>
void log_sums(const Lines& lines, const T* x, T* largest, T* logarithm);

}  // namespace minitorch::cpu

// Owns the host loops that bring groups of cells to mean 0 and variance 1, and the way
// back of a gradient. Knows no tensor.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

/// Cells (outer, groups, inner), row-major; a group is all cells of one middle index.
struct Groups {
  int64_t outer, groups, inner;
};

/// y = (x - mean) * scale with scale = 1 / sqrt(variance + epsilon); mean, biased
/// variance and scale of each group. Groups have at least one cell.
template <class T>
void standardise(const Groups& shape, double epsilon, const T* x, T* y, T* mean,
                 T* variance, T* scale);

/// dx = scale * (g - mean of g - y * mean of g * y), the means over each group.
template <class T>
void standardise_grad(const Groups& shape, const T* g, const T* x, const T* mean,
                      const T* scale, T* dx);

}  // namespace minitorch::cpu

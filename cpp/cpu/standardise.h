// The host loops that bring groups of cells to mean 0 and variance 1, and the way back
// of a gradient.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

/// Cells (outer, groups, inner), row-major; a group is all cells of one middle index.
struct Groups {
  int64_t outer, groups, inner;
};

/// What follows standardising: y * weight + bias, with one of each for each group, or
/// for each cell of a group, where `outer` is 1. Null ones are left out.
template <class T>
struct Affine {
  const T* weight = nullptr;
  const T* bias = nullptr;
  bool of_cells = false;
};

/// y = (x - mean) * scale with scale = 1 / sqrt(variance + epsilon), and what follows;
/// mean, biased variance and scale of each group. Groups have at least one cell.
template <class T>
void standardise(const Groups& shape, double epsilon, const T* x,
                 const Affine<T>& affine, T* y, T* mean, T* variance, T* scale);

/// The same with a mean and a variance of each group that are known.
template <class T>
void normalise(const Groups& shape, double epsilon, const T* x, const T* mean,
               const T* variance, const Affine<T>& affine, T* y);

/// dx = scale * (h - mean of h - z * mean of h * z) with h = g * weight and z what
/// followed from x, the means over each group. Where a group has one weight and bias,
/// their gradients too, unless they are null: dweight = sum of g * z, dbias = sum of g.
template <class T>
void standardise_grad(const Groups& shape, const T* g, const T* x, const T* mean,
                      const T* scale, const Affine<T>& affine, T* dx, T* dweight,
                      T* dbias);

/// Those gradients where each cell of a group has a weight and a bias: the sums go over
/// the groups.
template <class T>
void standardise_grad_weight(const Groups& shape, const T* g, const T* x, const T* mean,
                             const T* scale, T* dweight, T* dbias);

}  // namespace minitorch::cpu

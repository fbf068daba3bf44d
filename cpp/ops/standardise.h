// Bringing groups of cells to mean 0 and variance 1 on both devices, with what a layer
// does after it.
#pragma once

#include "array/array.h"
#include "cpu/standardise.h"

namespace minitorch::ops {

struct Standardised {
  array::Array y;  // of x's shape
  // (groups,); scale = 1 / sqrt(variance + eps)
  array::Array mean = {}, variance = {}, scale = {};
};

/// What follows: y * weight + bias, of y's dtype, with one cell for each group, or with
/// `of_cells` for each cell of a group, where `outer` is 1. Undefined ones are left
/// out.
struct Affine {
  array::Array weight = {}, bias = {};
  bool of_cells = false;
};

/// Statistics (groups,) that move towards a batch's in their own memory: running =
/// (1 - momentum) * running + momentum * batch's, with the unbiased variance. Undefined
/// ones are left out.
struct Running {
  array::Array mean = {}, variance = {};
  double momentum = 0;
};

/// Where the parts of x lie, and how the op is called in errors.
struct Layer {
  cpu::Groups groups;  // x seen as (outer, groups, inner)
  double epsilon;      // added to the variance
  const char* where;
};

/// ValueError unless x has the size of the layer's groups, with at least one cell each.
Standardised standardise(const array::Array& x, const Layer& layer,
                         const Affine& affine = {}, const Running& running = {});

/// The same with a mean and a variance (groups,) that are known, of x's dtype.
array::Array normalise(const array::Array& x, const array::Array& mean,
                       const array::Array& variance, const Layer& layer,
                       const Affine& affine);

struct StandardisedGrads {
  array::Array x;
  array::Array weight = {}, bias = {};  // only if they were asked for
};

/// The gradients of x, weight and bias from that of the result.
StandardisedGrads standardise_grad(const array::Array& g, const array::Array& x,
                                   const array::Array& mean, const array::Array& scale,
                                   const Layer& layer, const Affine& affine,
                                   bool of_parameters);

}  // namespace minitorch::ops

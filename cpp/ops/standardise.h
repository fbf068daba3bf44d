// Owns bringing groups of cells to mean 0 and variance 1 on both devices. Knows no
// history, weights or running means.
#pragma once

#include "array/array.h"
#include "cpu/standardise.h"

namespace minitorch::ops {

struct Standardised {
  array::Array y;                      // of x's shape
  array::Array mean, variance, scale;  // (groups,); scale = 1 / sqrt(variance + eps)
};

/// x seen as (outer, groups, inner). ValueError unless that is its size, with at least
/// one cell in a group.
Standardised standardise(const array::Array& x, const cpu::Groups& groups,
                         double epsilon, const char* where);

/// The gradient of x from that of y.
array::Array standardise_grad(const array::Array& g, const array::Array& x,
                              const array::Array& mean, const array::Array& scale,
                              const cpu::Groups& groups, const char* where);

}  // namespace minitorch::ops

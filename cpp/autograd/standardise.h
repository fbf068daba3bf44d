// Owns bringing groups of a tensor's cells to mean 0 and variance 1, with its gradient.
// Knows no weights or running means.
#pragma once

#include <tuple>

#include "autograd/tensor.h"
#include "cpu/standardise.h"

namespace minitorch::autograd {

/// (x - mean) / sqrt(variance + epsilon) of x seen as (outer, groups, inner), with the
/// mean and the biased variance of each group (groups,), which have no history.
std::tuple<TensorPtr, TensorPtr, TensorPtr> standardise(const TensorPtr& x,
                                                        const cpu::Groups& groups,
                                                        double epsilon,
                                                        const char* where);

}  // namespace minitorch::autograd

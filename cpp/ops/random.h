// Owns the process-wide random state and random arrays, equal on all devices.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// Starts the sequence of numbers anew; the state before the first call is that of seed
/// 0.
void manual_seed(uint64_t seed);

/// Where the sequence stands: what was last seeded, and how much of it was drawn.
struct RandomState {
  uint64_t seed, drawn;
};
RandomState random_state();
void set_random_state(const RandomState& state);

/// Uniform in [0, 1).
array::Array rand(const array::Shape& shape, array::Dtype dtype, array::Device device);
/// Normal with mean 0 and variance 1.
array::Array randn(const array::Shape& shape, array::Dtype dtype, array::Device device);

/// Each cell 0 with probability `rate` (0 to 1), else 1 / (1 - rate): made on the
/// device, of the numbers that `rand` would give.
array::Array dropout_mask(const array::Shape& shape, double rate, array::Dtype dtype,
                          array::Device device);

}  // namespace minitorch::ops

// The process-wide random state and random arrays: one sequence for all devices.
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

/// Uniform in [0, 1), made where it lies: the same numbers on all devices.
array::Array rand(const array::Shape& shape, array::Dtype dtype, array::Device device);
/// Normal with mean 0 and variance 1; devices may differ in the last bits, as their
/// logarithms and sines do.
array::Array randn(const array::Shape& shape, array::Dtype dtype, array::Device device);

/// Each cell 0 with probability `rate` (0 to 1), else 1 / (1 - rate): made on the
/// device, of the numbers that `rand` would give.
array::Array dropout_mask(const array::Shape& shape, double rate, array::Dtype dtype,
                          array::Device device);

/// For graphs, whose kernels run again with the same arguments. After `begin`, what
/// this thread draws on `cuda` while it captures takes nothing of the sequence: its
/// kernels read at `place`, (2,) of int64 there, where the sequence begins for them.
/// `end` returns how many blocks of numbers they take. Before each replay
/// `place_random` takes as many from the sequence and queues the writing of `place`, so
/// that replays draw what the same calls would have drawn.
void begin_captured_random(const array::Array& place);
int64_t end_captured_random();
void place_random(const array::Array& place, int64_t blocks);

}  // namespace minitorch::ops

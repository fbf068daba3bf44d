// Owns the sum of one value from each thread of a block, known to all of them.
#pragma once

#include "spec.cuh"

// All TILE threads of the block call it together. `partial` has a cell for each, and is
// free again when it returns: the active threads halve at each step of a tree.
__device__ inline Scalar block_sum(Scalar value, Scalar* partial) {
  const int t = threadIdx.x;
  partial[t] = value;
#pragma unroll 1
  for (int half = TILE / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  __syncthreads();
  const Scalar sum = partial[0];
  __syncthreads();
  return sum;
}

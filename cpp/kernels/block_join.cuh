// What joins one value from each thread of a block, known to all of them: their
// sum, and the largest.
#pragma once

#include "spec.cuh"

// NaN wins, as in reductions.
__device__ inline Scalar larger(Scalar a, Scalar b) { return a > b || a != a ? a : b; }

// All TILE threads of the block call each of these together. `partial` has a cell for
// each, and is free again when they return: the active threads halve at each step of a
// tree.
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

__device__ inline Scalar block_largest(Scalar value, Scalar* partial) {
  const int t = threadIdx.x;
  partial[t] = value;
#pragma unroll 1
  for (int half = TILE / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] = larger(partial[t], partial[t + half]);
  }
  __syncthreads();
  const Scalar largest = partial[0];
  __syncthreads();
  return largest;
}

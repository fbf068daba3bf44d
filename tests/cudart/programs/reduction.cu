// A sum: a template, dynamic shared memory, shuffles, an atomic, managed memory,
// occupancy and the attributes of a function.
#include "check.h"

template <typename T>
__global__ void sum_all(const T* values, T* sum, int n) {
  extern __shared__ float partial[];
  T own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    own += values[i];
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = own;
#ifdef FAULT
  if (threadIdx.x < 40) __syncthreads();  // fault: barrier_divergence
#else
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
    T total = 0;
    for (int warp = 0; warp < blockDim.x / 32; ++warp) total += partial[warp];
    atomicAdd(sum, total);
  }
}

int main() {
  const int n = 10000, threads = 128;
  float *values, *sum;
  CHECK(cudaMallocManaged(&values, n * sizeof(float)));
  CHECK(cudaMallocManaged(&sum, sizeof(float)));
  for (int i = 0; i < n; ++i) values[i] = 1;
  *sum = 0;
  int blocks = 0, grid = 0, best = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum_all<float>, threads,
                                                      threads / 32 * sizeof(float)));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &best, sum_all<float>));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, sum_all<float>));
  EXPECT(blocks > 0 && grid > 0 && best >= 32 && attributes.numRegs > 0);
  sum_all<float><<<4, threads, threads / 32 * sizeof(float)>>>(values, sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == n);
  CHECK(cudaFree(values));
  CHECK(cudaFree(sum));
  std::puts("right");
}

// A histogram: atomics in shared memory, pinned memory of the host.
#include "check.h"

constexpr int kBins = 16;

__global__ void histogram(const unsigned char* values, int n, unsigned int* bins) {
  __shared__ unsigned int own[kBins];
#ifndef FAULT
  if (threadIdx.x < kBins) own[threadIdx.x] = 0;
  __syncthreads();
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&own[values[i] % kBins], 1);  // fault: uninit_shared
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main() {
  const int n = 4096;
  unsigned char *values, *d_values;
  unsigned int *bins, *d_bins;
  CHECK(cudaMallocHost(&values, n));
  CHECK(cudaHostAlloc(&bins, kBins * sizeof(unsigned int), cudaHostAllocDefault));
  CHECK(cudaMalloc(&d_values, n));
  CHECK(cudaMalloc(&d_bins, kBins * sizeof(unsigned int)));
  for (int i = 0; i < n; ++i) values[i] = i * 7;
  CHECK(cudaMemcpy(d_values, values, n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_bins, 0, kBins * sizeof(unsigned int)));
  histogram<<<2, 64>>>(d_values, n, d_bins);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(bins, d_bins, kBins * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  for (int bin = 0; bin < kBins; ++bin) EXPECT(bins[bin] == n / kBins);
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_bins));
  CHECK(cudaFreeHost(values));
  CHECK(cudaFreeHost(bins));
  std::puts("right");
}

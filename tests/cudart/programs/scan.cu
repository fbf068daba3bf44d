// A prefix sum of a block by doubling steps, between two arrays of shared memory.
#include "check.h"

__global__ void scan(int* values, int n) {
  __shared__ int steps[2][256];
  int from = 0;
  steps[from][threadIdx.x] = values[threadIdx.x];
  for (int step = 1; step < n; step *= 2) {
#ifdef FAULT
    if (step != 32)
#endif
      __syncthreads();
    int sum = steps[from][threadIdx.x];
    if (threadIdx.x >= step) sum += steps[from][threadIdx.x - step];
    from = 1 - from;
    steps[from][threadIdx.x] = sum;  // fault: race_shared
  }
  values[threadIdx.x] = steps[from][threadIdx.x];
}

int main() {
  const int n = 256;
  int host[n], *device;
  for (int i = 0; i < n; ++i) host[i] = 1;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  scan<<<1, n>>>(device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 1);
  CHECK(cudaFree(device));
  std::puts("right");
}

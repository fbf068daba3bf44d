// With -rdc=true: a kernel that calls a function and uses a variable of another file.
#include "check.h"

extern __device__ int offset;
__device__ void store(int* values, int i, int value);

__global__ void fill(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FAULT
  if (i < n)
#endif
    store(values, i, i + offset);
}

int main() {
  const int n = 100;
  int host[n], *device;
  const int seven = 7;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpyToSymbol(offset, &seven, sizeof seven));
  fill<<<2, 64>>>(device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 7);
  CHECK(cudaFree(device));
  std::puts("right");
}

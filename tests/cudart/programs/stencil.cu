// A stencil: constants and device arrays by their symbols, printf in a kernel.
#include "check.h"

__constant__ float weights[3];
__device__ float result[64];
__device__ int calls;

__global__ void smooth(const float* values, int n) {
  const int i = threadIdx.x;
  if (i == 0) atomicAdd(&calls, 1);
  if (i > 0 && i < n - 1)
    result[i] = weights[0] * values[i - 1] + weights[1] * values[i] +
                weights[2] * values[i + 1];
  if (i == 5) printf("from thread %d: %.2f\n", i, result[i]);
}

int main() {
  const int n = 64;
  float host[n], out[n];
  const float given[3] = {0.25f, 0.5f, 0.25f};
  for (int i = 0; i < n; ++i) host[i] = i;
  float* device;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(weights, given, sizeof given));
  void* address;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, result));
  CHECK(cudaGetSymbolSize(&bytes, result));
  EXPECT(bytes == sizeof host);
  CHECK(cudaMemset(address, 0, bytes));
  EXPECT(cudaMemcpyToSymbol(weights, given, sizeof given, 4) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaMemcpyToSymbol(given, given, 4) == cudaErrorInvalidSymbol);
  EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol);
#ifdef FAULT
  smooth<<<1, 2048>>>(device, n);  // fault: unchecked_error
#endif
  smooth<<<1, n>>>(device, n);
  CHECK(cudaMemcpyFromSymbol(out, result, sizeof out));
  int times = 0;
  CHECK(cudaMemcpyFromSymbol(&times, calls, sizeof times));
  EXPECT(times == 1 && out[0] == 0 && out[10] == 10);
  CHECK(cudaFree(device));
  std::puts("right");
  smooth<<<1, n>>>(nullptr, 0);  // printed at exit, without a synchronisation
}

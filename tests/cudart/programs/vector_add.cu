// Vector addition, with timing by events and what the device is.
#include <vector>

#include "check.h"

__global__ void add(const float* x, const float* y, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FAULT
  sum[i] = x[i] + y[i];  // fault: oob_global
#else
  if (i < n) sum[i] = x[i] + y[i];
#endif
}

int main() {
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> x(n), y(n), sum(n);
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = 2 * i;

  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  if (device.warpSize != 32) return 2;

  float *d_x, *d_y, *d_sum;
  CHECK(cudaMalloc(&d_x, bytes));
  CHECK(cudaMalloc(&d_y, bytes));
  CHECK(cudaMalloc((void**)&d_sum, bytes));
  CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  add<<<(n + 255) / 256, 256>>>(d_x, d_y, d_sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaMemcpy(sum.data(), d_sum, bytes, cudaMemcpyDeviceToHost));

  for (int i = 0; i < n; ++i) {
    if (sum[i] != 3 * i) {
      std::printf("wrong at %d: %f\n", i, sum[i]);
      return 1;
    }
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(d_sum));
  std::printf("right, %d\n", milliseconds >= 0);
  return 0;
}

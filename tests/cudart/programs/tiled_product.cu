// A product of square matrices by tiles in shared memory; copies by cudaMemcpyDefault.
#include <vector>

#include "check.h"

constexpr int kTile = 8;

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    const float own_a = a[row * n + t + threadIdx.x];
    tile_a[threadIdx.y][threadIdx.x] = own_a;  // fault: race_shared
    tile_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i)
      sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
#ifndef FAULT
    __syncthreads();
#endif
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 32;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_c, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyDefault));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyDefault));
  product<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDefault));
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
      EXPECT(c[row * n + column] == sum);
    }
  }
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  std::puts("right");
}

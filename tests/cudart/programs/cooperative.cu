// Cooperative groups: a barrier of the whole grid, tiles of a warp.
#include <cooperative_groups.h>

#include "check.h"

namespace groups = cooperative_groups;

__global__ void two_steps(int* values, int* sums, int n) {
  const groups::grid_group grid = groups::this_grid();
  const int i = grid.thread_rank();
  values[i] = i;  // fault: race_global
#ifndef FAULT
  grid.sync();
#endif
  const int other = values[n - 1 - i];
  const auto tile = groups::tiled_partition<8>(groups::this_thread_block());
  int sum = other;
  for (int step = tile.size() / 2; step > 0; step /= 2)
    sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0) sums[i / 8] = sum;
}

int main() {
  int n = 256;
  int *values, *sums;
  CHECK(cudaMallocManaged(&values, n * sizeof(int)));
  CHECK(cudaMallocManaged(&sums, n / 8 * sizeof(int)));
  int cooperative = 0;
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(cooperative == 1);
  void* arguments[] = {&values, &sums, &n};
  CHECK(cudaLaunchCooperativeKernel((void*)two_steps, 4, 64, arguments, 0, 0));
  CHECK(cudaDeviceSynchronize());
  int total = 0;
  for (int i = 0; i < n / 8; ++i) total += sums[i];
#ifndef FAULT
  EXPECT(total == n * (n - 1) / 2);
#endif
  CHECK(cudaFree(values));
  CHECK(cudaFree(sums));
  std::puts("right");
}

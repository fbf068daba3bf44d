extern "C" __global__ void k(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][32], bs[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y,
      column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int tile = 0; tile < (n + 31) / 32; ++tile) {
    int i = tile * 32 + x, j = tile * 32 + y;
    as[y][x] = row < n && i < n ? a[row * n + i] : 0;
    bs[y][x] = column < n && j < n ? b[j * n + column] : 0;
    __syncthreads();
    for (int l = 0; l < 32; ++l) sum += as[y][l] * bs[l][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

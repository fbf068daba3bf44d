extern "C" __global__ void k(const double* a, const double* b, double* c, int n) {
  __shared__ double as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y,
      column = blockIdx.x * 16 + x;
  double sum = 0;
  for (int tile = 0; tile < (n + 15) / 16; ++tile) {
    int i = tile * 16 + x, j = tile * 16 + y;
    as[y][x] = row < n && i < n ? a[row * n + i] : 0;
    bs[y][x] = column < n && j < n ? b[j * n + column] : 0;
    __syncthreads();
    for (int l = 0; l < 16; ++l) sum += as[y][l] * bs[l][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

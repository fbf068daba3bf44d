extern "C" __global__ __launch_bounds__(256) void k(const float* a, const float* b,
                                                    float* c, int n) {
  __shared__ float As[8][64], Bs[8][64];
  int t = threadIdx.x, y = t / 16, x = t % 16;
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    for (int i = t; i < 512; i += 256)
      As[i % 8][i / 8] = a[(row + i / 8) * n + k0 + i % 8];
    for (int i = t; i < 512; i += 256)
      Bs[i / 64][i % 64] = b[(k0 + i / 64) * n + column + i % 64];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 8; ++l) {
      float left[4], right[4];
      for (int r = 0; r < 4; ++r) left[r] = As[l][y * 4 + r];
      for (int s = 0; s < 4; ++s) right[s] = Bs[l][x * 4 + s];
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) sum[r][s] += left[r] * right[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 4; ++s)
      c[(row + y * 4 + r) * n + column + x * 4 + s] = sum[r][s];
}

extern "C" __global__ __launch_bounds__(256) void k(const float* a, const float* b,
                                                    float* c, int n) {
  __shared__ float As[16][64];
  __shared__ __align__(16) float Bs[16][64];
  int t = threadIdx.x, y = t / 16, x = t % 16;
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    int i = t / 4, j = t % 4 * 4;
    float4 v = *(const float4*)(a + (row + i) * n + k0 + j);
    As[j][i] = v.x, As[j + 1][i] = v.y, As[j + 2][i] = v.z, As[j + 3][i] = v.w;
    *(float4*)&Bs[y][x * 4] = *(const float4*)(b + (k0 + y) * n + column + x * 4);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 16; ++l) {
      float4 p = *(float4*)&As[l][y * 4], q = *(float4*)&Bs[l][x * 4];
      float left[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x, q.y, q.z, q.w};
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) sum[r][s] += left[r] * right[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    *(float4*)(c + (row + y * 4 + r) * n + column + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

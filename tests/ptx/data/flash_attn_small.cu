extern "C" __global__ void k(const float* q, const float* keys, const float* values,
                             float* out, int n) {
  __shared__ float ks[32][33], vs[32][33];
  int t = threadIdx.x, row = blockIdx.x * 32 + t;
  float x[32], sum[32] = {}, top = -1e30f, total = 0;
  for (int d = 0; d < 32; ++d) x[d] = q[row * 32 + d];
  for (int start = 0; start < n; start += 32) {
    for (int j = 0; j < 32; ++j) {
      ks[j][t] = keys[(start + j) * 32 + t];
      vs[j][t] = values[(start + j) * 32 + t];
    }
    __syncwarp();
#pragma unroll 1
    for (int j = 0; j < 32; ++j) {
      float score = 0;
      for (int d = 0; d < 32; ++d) score += x[d] * ks[j][d];
      float higher = fmaxf(top, score), old = __expf(top - higher),
            part = __expf(score - higher);
      for (int d = 0; d < 32; ++d) sum[d] = sum[d] * old + part * vs[j][d];
      total = total * old + part;
      top = higher;
    }
    __syncwarp();
  }
  for (int d = 0; d < 32; ++d) out[row * 32 + d] = sum[d] / total;
}

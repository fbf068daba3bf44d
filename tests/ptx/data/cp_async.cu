// For compute_80.
#include <cuda_pipeline.h>
extern "C" __global__ void k(const float4* in, float* out, int n) {
  __shared__ float4 s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], in + t, 16);
  __pipeline_commit();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n)
      __pipeline_memcpy_async(&s[(i + 1) & 1][t], in + (i + 1) * 128 + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[i & 1][127 - t].x;
    __syncthreads();
  }
  out[t] = sum;
}

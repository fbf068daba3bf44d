extern "C" __global__ void k(const float *in, float *out, int cols) {
  __shared__ float s[32];
  const float *row = in + blockIdx.x * cols;
  int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float m = -3.4e38f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) m = fmaxf(m, row[i]);
  for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (lane == 0) s[warp] = m;
  __syncthreads();
  m = lane < warps ? s[lane] : -3.4e38f;
  for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += expf(row[i] - m);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) s[warp] = sum;
  __syncthreads();
  sum = lane < warps ? s[lane] : 0;
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) out[blockIdx.x * cols + i] = expf(row[i] - m) / sum;
}

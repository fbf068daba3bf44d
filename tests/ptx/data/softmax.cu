extern "C" __global__ void k(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const float* row = in + blockIdx.x * n;
  int t = threadIdx.x;
  float top = -1e30f;
  for (int i = t; i < n; i += blockDim.x) top = fmaxf(top, row[i]);
  s[t] = top;
  __syncthreads();
  for (int d = blockDim.x / 2; d; d >>= 1) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  top = s[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += __expf(row[i] - top);
  s[t] = sum;
  __syncthreads();
  for (int d = blockDim.x / 2; d; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = expf(row[i] - top) / s[0];
}

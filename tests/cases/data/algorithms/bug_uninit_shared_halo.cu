extern "C" __global__ void k(const float *in, float *out, int n) {
  __shared__ float s[34];
  int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x + 1;
  s[t] = in[i];
  if (threadIdx.x == 0 && i > 0) s[0] = in[i - 1];
  if (threadIdx.x == 31 && i + 1 < n) s[33] = in[i + 1];
  __syncthreads();
  out[i] = s[t - 1] + s[t] + s[t + 1];
}

extern "C" __global__ void k(const float *in, float *out, int steps) {
  __shared__ float s[2][66];
  int t = threadIdx.x;
  s[0][t + 1] = in[t];
  if (t == 0) { s[0][0] = s[1][0] = 0; s[0][65] = s[1][65] = 0; }
  __syncthreads();
  int now = 0;
  for (int i = 0; i < steps; ++i) {
    s[1 - now][t + 1] = s[now][t] + s[now][t + 2];
    now = 1 - now;
    __syncthreads();
  }
  out[t] = s[now][t + 1];
}

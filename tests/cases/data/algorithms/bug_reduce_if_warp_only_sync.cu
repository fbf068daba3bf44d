extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int half = 64; half > 0; half /= 2) {
    __syncwarp();
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) *out = s[0];
}

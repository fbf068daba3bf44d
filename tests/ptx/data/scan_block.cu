extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int s[2][256];
  int t = threadIdx.x, p = 0;
  s[0][t] = t ? in[t - 1] : 0;
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    p ^= 1;
    s[p][t] = s[p ^ 1][t] + (t >= d ? s[p ^ 1][t - d] : 0);
    __syncthreads();
  }
  out[t] = s[p][t];
}

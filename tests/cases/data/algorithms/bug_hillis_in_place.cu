extern "C" __global__ void k(int *data) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  data[t] = s[t];
}

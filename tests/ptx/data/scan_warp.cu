extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int w[32];
  int t = threadIdx.x, lane = t & 31, v = t < n ? in[t] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) w[t >> 5] = v;
  __syncthreads();
  int before = 0;
  for (int i = 0; i < t >> 5; ++i) before += w[i];
  if (t < n) out[t] = v + before;
}

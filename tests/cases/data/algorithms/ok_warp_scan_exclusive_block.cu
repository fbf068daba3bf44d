extern "C" __global__ void k(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int v = t < n ? in[t] : 0, x = v;
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, x, d);
    if (lane >= d) x += y;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    int s = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      int y = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += y;
    }
    sums[lane] = s;
  }
  __syncthreads();
  if (warp > 0) x += sums[warp - 1];
  if (t < n) out[t] = x - v;
}

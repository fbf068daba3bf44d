extern "C" __global__ void k(const int* in, int* out, int n) {
  int t = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, t < n);
  if (t < n) {
    int v = in[t];
    for (int by = 16; by > 0; by >>= 1) {
      int other = __shfl_down_sync(mask, v, by);
      if (t + by < n) v += other;
    }
    if (t == 0) *out = v;
  }
}

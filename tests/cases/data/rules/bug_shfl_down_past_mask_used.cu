extern "C" __global__ void k(const int* in, int* out, int n) {
  int t = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, t < n);
  if (t < n) {
    int right = __shfl_down_sync(mask, in[t], 1);
    out[t] = right - in[t];
  }
}

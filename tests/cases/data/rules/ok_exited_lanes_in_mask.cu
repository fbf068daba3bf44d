extern "C" __global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  if (t >= 16) return;
  int v = in[t];
  for (int by = 8; by > 0; by >>= 1) v += __shfl_xor_sync(0x0000ffffu, v, by);
  out[t] = v;
}

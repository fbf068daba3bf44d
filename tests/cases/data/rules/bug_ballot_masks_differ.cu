extern "C" __global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  unsigned mask = t < 16 ? 0x0001ffffu : 0xffff8000u;
  out[t] = __ballot_sync(mask, in[t] & 1);
}

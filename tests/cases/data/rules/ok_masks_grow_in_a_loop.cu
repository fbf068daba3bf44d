extern "C" __global__ void k(int* out) {
  int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    if (t >= 16 && i == 0) continue;
    out[t] += __popc(__ballot_sync(i == 0 ? 0x0000ffffu : 0xffffffffu, 1));
  }
}

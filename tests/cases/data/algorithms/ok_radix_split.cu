extern "C" __global__ void k(unsigned *data) {
  __shared__ unsigned s[128];
  __shared__ int zeros[4];
  int t = threadIdx.x, lane = t & 31, warp = t / 32;
  s[t] = data[t];
  for (int bit = 0; bit < 7; ++bit) {
    unsigned v = s[t];
    bool one = (v >> bit) & 1;
    unsigned votes = __ballot_sync(~0u, !one);
    if (lane == 0) zeros[warp] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1)), total = 0;
    for (int w = 0; w < 4; ++w) { if (w < warp) before += zeros[w]; total += zeros[w]; }
    s[one ? total + t - before : before] = v;
    __syncthreads();
  }
  data[t] = s[t];
}

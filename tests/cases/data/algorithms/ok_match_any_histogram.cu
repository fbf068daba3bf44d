extern "C" __global__ void k(const int *in, int *bins) {
  int key = in[blockIdx.x * blockDim.x + threadIdx.x] % 7;
  unsigned peers = __match_any_sync(0xffffffffu, key);
  if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&bins[key], __popc(peers));
}

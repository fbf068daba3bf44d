extern "C" __global__ void k(int* locks, int* out) {
  int t = threadIdx.x / 32;
  if (threadIdx.x % 32) return;
  while (atomicCAS(&locks[t], 0, 1)) { }
  __shared__ int both;
  atomicAdd(&both, 1);
  while (atomicAdd(&both, 0) < 2) { }
  while (atomicCAS(&locks[1 - t], 0, 1)) { }
  out[t] = 1;
}

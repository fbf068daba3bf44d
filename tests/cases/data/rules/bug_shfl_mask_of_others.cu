extern "C" __global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  out[t] = __shfl_sync(0x0000ffffu, in[t], 0);
}

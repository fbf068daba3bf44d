extern "C" __global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  out[t] = __shfl_xor_sync(0xffffffffu, in[t], 16);
}

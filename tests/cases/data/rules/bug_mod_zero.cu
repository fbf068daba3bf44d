extern "C" __global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  out[t] = t % in[t];
}

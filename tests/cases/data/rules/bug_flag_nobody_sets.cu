extern "C" __global__ void k(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) { }
    out[0] = 1;
  }
}

extern "C" __global__ void k(volatile int* out, int n, int step) {
  for (int i = threadIdx.x; i < n; i += step) out[i] = i;
}

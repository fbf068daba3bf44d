extern "C" __global__ void k(int* out, int n) {
  int t = threadIdx.x;
  if (t >= n) {
    out[t] = 9;
    while (*(volatile int*)out != 1) { }
  }
  __syncthreads();
  out[t] = 1;
}

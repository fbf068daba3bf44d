extern "C" __global__ void k(int* out) {
  int t = threadIdx.x;
  #pragma unroll 1
  for (int i = 0; i <= t / 16; i++) {
    out[t] += i;
    __syncthreads();
  }
}

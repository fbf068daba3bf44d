extern "C" __global__ void k(int* out) {
  int t = threadIdx.x;
  if (t < 32) {
    out[t] = 1;
    __syncthreads();
  } else {
    out[t] = 2;
    __syncthreads();
  }
}

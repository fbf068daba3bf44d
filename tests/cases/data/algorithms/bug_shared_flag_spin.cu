extern "C" __global__ void k(int *out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    while (flag == 0) {}
    out[threadIdx.x] = 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) flag = 1;
}

extern "C" __global__ void k(int *data, volatile int *ready, int *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) { __threadfence(); *ready = 1; }
  } else {
    if (threadIdx.x == 0) { while (*ready == 0) {} __threadfence(); }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x] + 1;
  }
}

extern "C" __global__ void k(int *out) {
  __shared__ int box[64];
  if (threadIdx.x < 64) {
    box[threadIdx.x] = threadIdx.x * 2;
    asm volatile("bar.arrive 3, 96;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 96;" ::: "memory");
    out[threadIdx.x - 64] = box[threadIdx.x - 64] + box[threadIdx.x - 32];
  }
}

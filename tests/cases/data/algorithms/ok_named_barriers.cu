__shared__ int box[32];
extern "C" __global__ void k(int *out) {
  int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    for (int round = 0; round < 3; ++round) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      box[lane] = round * 100 + lane;
      asm volatile("bar.sync 2, 64;" ::: "memory");
    }
  } else {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
      sum += box[31 - lane];
    }
    out[lane] = sum;
  }
}

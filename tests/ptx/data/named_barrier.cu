extern "C" __global__ void k(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < 64) {
    s[t] = in[t];
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[t] = s[t - 64];
  }
  asm volatile("barrier.sync 2;");
}

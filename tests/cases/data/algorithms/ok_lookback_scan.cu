struct Tile { volatile int flag; volatile int sum; volatile int prefix; };
__device__ int ticket = 0;
extern "C" __global__ void k(const int *in, int *out, volatile int *flags, volatile int *sums, volatile int *prefixes, int n) {
  __shared__ int s[64];
  __shared__ int tile, before;
  if (threadIdx.x == 0) tile = atomicAdd(&ticket, 1);
  __syncthreads();
  int i = tile * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
    __syncthreads();
    s[threadIdx.x] += v;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if (tile == 0) {
      prefixes[0] = s[63];
      __threadfence();
      flags[0] = 2;
      before = 0;
    } else {
      sums[tile] = s[63];
      __threadfence();
      flags[tile] = 1;
      int sum = 0;
      for (int p = tile - 1; p >= 0; --p) {
        int f;
        while ((f = flags[p]) == 0) {}
        __threadfence();
        if (f == 2) { sum += prefixes[p]; break; }
        sum += sums[p];
      }
      prefixes[tile] = sum + s[63];
      __threadfence();
      flags[tile] = 2;
      before = sum;
    }
  }
  __syncthreads();
  if (i < n) out[i] = s[threadIdx.x] + before;
}

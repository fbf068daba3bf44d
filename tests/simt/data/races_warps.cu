// Races within a warp: right kernels, and the same with one line missing. A comment at
// the end of a line names it for the tests.
// Warp-synchronous tail of a reduction.
extern "C" __global__ void warp_right(int* out, const int* in) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
#pragma unroll 1
    for (int d = 32; d > 0; d >>= 1) {
      int other = s[t + d];
      __syncwarp();
      s[t] += other;
      __syncwarp();
    }
  }
  if (t == 0) out[0] = s[0];
}

extern "C" __global__ void warp_wrong(int* out, const int* in) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
#pragma unroll 1
    for (int d = 32; d > 0; d >>= 1) {
      int other = s[t + d];  // warp: read
      s[t] += other;         // warp: write
      __syncwarp();
    }
  }
  if (t == 0) out[0] = s[0];
}

// Halves of a warp synchronise apart; `cross` reads from the other half.
extern "C" __global__ void half_warps(int* out, int cross) {
  __shared__ int s[32];
  int t = threadIdx.x;
  unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
  s[t] = t;  // half: write
  if (t < 16) {
    __syncwarp(mask);
  } else {
    __syncwarp(mask);
  }
  out[t] = s[cross ? (t + 1) % 32 : t / 16 * 16 + (t + 1) % 16];  // half: read
}

// A broadcast cell read by two warps, overwritten behind a __syncwarp() only.
extern "C" __global__ void broadcast(int* out, int rows) {
  __shared__ int pivot;
  int t = threadIdx.x, sum = 0;
#pragma unroll 1
  for (int r = 0; r < rows; ++r) {
    if (t == 0) pivot = r;  // broadcast: write
    __syncthreads();
    sum += pivot;  // broadcast: read
    __syncwarp();
  }
  out[t] = sum;
}

extern "C" __global__ void unwritten_atomic(int* out) {
  __shared__ int sum;
  atomicAdd(&sum, 1);  // unwritten: add
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

// Warp 0 reads before warp 1 writes.
extern "C" __global__ void read_before_write(int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    out[t] = s[t];  // early: read
  } else {
    s[t - 32] = t;  // early: write
  }
}

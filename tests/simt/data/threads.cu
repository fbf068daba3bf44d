// Threads that work together: locks, flags, atomics, calls, printf.
extern "C" __global__ void spin_lock(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *(volatile int*)counter = *(volatile int*)counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}
// Every block waits until all have come.
extern "C" __global__ void grid_barrier(int* arrived, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < gridDim.x) {
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int*)arrived;
}
// A chained scan: each block waits for its predecessor's sum.
extern "C" __global__ void chained_scan(int* out, volatile int* state) {
  if (threadIdx.x == 0) {
    int sum = blockIdx.x + 1;
    if (blockIdx.x > 0) {
      while (state[blockIdx.x - 1] == 0) {
      }
      sum += state[blockIdx.x - 1];
    }
    out[blockIdx.x] = sum;
    state[blockIdx.x] = sum;
  }
}
extern "C" __global__ void histogram(int* bins, const int* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1);
}
extern "C" __global__ void atomics(int* i, unsigned* u, float* f, double* d,
                                   unsigned long long* l) {
  int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicMax(&i[1], t);
  atomicMin(&i[2], -t);
  atomicSub(&i[3], t);
  atomicInc(&u[0], 10u);
  atomicDec(&u[1], 10u);
  atomicOr(&u[2], 1u << (t & 31));
  atomicAnd(&u[3], ~(1u << (t & 31)));
  atomicXor(&u[4], t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(l, 1ull << 33);
}
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursion(int* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
__device__ float square(float x) { return x * x; }
__device__ float cube(float x) { return x * x * x; }
__device__ float (*const functions[2])(float) = {square, cube};
extern "C" __global__ void indirect(float* out, const float* in) {
  int t = threadIdx.x;
  out[t] = functions[t % 3 == 0](in[t]) + 1.0f;
}
extern "C" __global__ void print(int n, float a) {
  if (threadIdx.x < n)
    printf("t=%d a=%5.2f %s %lld %x|%c%%\n", threadIdx.x, a, "text",
           -5ll * threadIdx.x, 255u + threadIdx.x, 'q');
}
extern "C" __global__ void print_much(int n) {
  for (int i = 0; i < n; ++i) printf("%d some text to fill the buffer\n", i);
}
extern "C" __global__ void heap(int* out) {
  int* mine = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; ++i) mine[i] = threadIdx.x * i;
  out[threadIdx.x] = mine[3] + mine[1];
  free(mine);
}
extern "C" __global__ void switching(int* out, const int* in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], r = 0;
  switch (v) {
    case 0: r = t; break;
    case 1: r = t * 3 + in[v]; break;
    case 2: r = t ^ 77; break;
    case 3: r = t - 1000; break;
    case 4: r = in[0] - t; break;
    case 5: r = t / 3; break;
    case 6: r = ~t; break;
    default: r = -1;
  }
  out[t] = r;
}
extern "C" __global__ void collatz(int* out, const int* in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  long long n = in[t];
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
    if (steps > 10000) break;
  }
  out[t] = steps;
}
extern "C" __global__ void warp_ops(unsigned* out) {
  unsigned t = threadIdx.x, lane = t % 32;
  unsigned sum = lane;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  unsigned up = __shfl_up_sync(0xffffffff, lane, 3, 8);
  unsigned down = __shfl_down_sync(0xffffffff, lane, 2, 16);
  unsigned ballot = __ballot_sync(0xffffffff, t % 3 == 0);
  unsigned match = __match_any_sync(0xffffffff, lane / 5);
  int all = __all_sync(0xffffffff, t < 64), any = __any_sync(0xffffffff, t == 33);
  unsigned part = 0;
  if (lane < 20) part = __shfl_sync(0xfffff, lane * 2, 7) + __popc(__activemask());
  unsigned* to = out + t * 8;
  to[0] = sum, to[1] = up, to[2] = down, to[3] = ballot;
  to[4] = match, to[5] = all, to[6] = any, to[7] = part;
}
extern "C" __global__ void named_barriers(int* out) {
  __shared__ int cells[128];
  int t = threadIdx.x;
  if (t < 64) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[t] = cells[64 + t];
  } else {
    cells[t] = t * 2;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  }
  int low = __syncthreads_count(t < 5), some = __syncthreads_or(t == 100);
  int every = __syncthreads_and(t < 128);
  if (t == 0) out[64] = low, out[65] = some, out[66] = every;
}

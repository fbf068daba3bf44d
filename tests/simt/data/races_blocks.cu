// Blocks and warps that work together: the last block, rounds, tickets, named barriers;
// right, and with a line missing. A comment at the end of a line names it for the tests.
// The last block adds what all blocks have left. `fence`: before the ticket.
template <bool kFence, bool kFirst>
__device__ void last_block_sum(int* partial, int* out, unsigned* done) {
  __shared__ bool last;
  int t = threadIdx.x;
  partial[blockIdx.x * blockDim.x + t] = t;  // last: partial
  if (kFence && kFirst) __threadfence();
  if (kFirst) __syncthreads();
  if (t == 0) {
    if (kFence && !kFirst) __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    int sum = 0;
#pragma unroll 1
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b * blockDim.x + t];  // last: sum
    out[t] = sum;
    if (t == 0) *done = 0;
  }
}
extern "C" __global__ void last_right(int* partial, int* out, unsigned* done) {
  last_block_sum<true, true>(partial, out, done);
}
extern "C" __global__ void last_no_fence(int* partial, int* out, unsigned* done) {
  last_block_sum<false, true>(partial, out, done);
}
// Thread 0's fence does not speak for threads that it has not met at a barrier.
extern "C" __global__ void last_no_barrier(int* partial, int* out, unsigned* done) {
  last_block_sum<true, false>(partial, out, done);
}

// Rounds of all blocks: each reads what its neighbour wrote in the round before.
template <bool kFence>
__device__ void rounds(int* a, int* b, unsigned* arrived, int count) {
  int t = threadIdx.x, me = blockIdx.x * blockDim.x + t;
  int all = gridDim.x * blockDim.x;
  int *from = a, *to = b;
#pragma unroll 1
  for (int r = 0; r < count; ++r) {
    to[me] = from[(me + blockDim.x) % all] + 1;  // rounds: step
    __syncthreads();
    if (t == 0) {
      if (kFence) __threadfence();
      atomicAdd(arrived, 1u);
      while (*(volatile unsigned*)arrived < (r + 1) * gridDim.x) {
      }
      if (kFence) __threadfence();
    }
    __syncthreads();
    int* swap = from;
    from = to;
    to = swap;
  }
}
extern "C" __global__ void rounds_right(int* a, int* b, unsigned* arrived, int count) {
  rounds<true>(a, b, arrived, count);
}
extern "C" __global__ void rounds_wrong(int* a, int* b, unsigned* arrived, int count) {
  rounds<false>(a, b, arrived, count);
}

// Blocks take work by tickets; what a ticket names is one thread's.
extern "C" __global__ void tickets(int* next, int* out, int n) {
  __shared__ int mine;
  for (;;) {
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    int work = mine;
    __syncthreads();
    if (work >= n) return;
    out[work * blockDim.x + threadIdx.x] = work;
  }
}

// Warp 0 makes what warp 1 uses, by two named barriers.
template <bool kWaitFirst>
__device__ void pipeline(int* out, int rounds) {
  __shared__ int cell[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      if (kWaitFirst && r > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      cell[lane] = r;  // pipeline: write
      if (!kWaitFirst && r > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    }
  } else {
    int sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += cell[31 - lane];  // pipeline: read
      if (r + 1 < rounds) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
    out[lane] = sum;
  }
}
extern "C" __global__ void pipeline_right(int* out, int rounds) {
  pipeline<true>(out, rounds);
}
extern "C" __global__ void pipeline_wrong(int* out, int rounds) {
  pipeline<false>(out, rounds);
}

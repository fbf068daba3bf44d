// cuda::barrier, cuda::pipeline and cp.async, right (mode 0) and with something
// missing. Compiled for compute_80 with the headers of CUDA 13. A comment at the end of
// a line names it for the tests.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Each thread reads what another one wrote. 1: no __syncthreads() after init; 2: the
// last thread does not come; 3: read before the wait.
extern "C" __global__ void exchange(int* out, const int* in, int mode) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  const int t = threadIdx.x, last = blockDim.x - 1;
  if (t == 0) init(&bar, blockDim.x);  // exchange: init
  if (mode != 1) __syncthreads();
  if (mode == 2 && t == last) return;
  s[t] = in[t];               // exchange: write
  auto token = bar.arrive();  // exchange: arrive
  int early = 0;
  if (mode == 3) early = s[last - t];  // exchange: early
  bar.wait(std::move(token));          // exchange: wait
  out[t] = early + s[last - t];        // exchange: read
}

// The upper half leaves after one phase. 1: without saying so.
extern "C" __global__ void leave(int* out, const int* in, int mode) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  const int t = threadIdx.x, half = blockDim.x / 2;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[t] = in[t];
  if (t >= half) {
    if (mode == 0) {
      bar.arrive_and_drop();
    } else {
      (void)bar.arrive();
    }
    return;
  }
  bar.arrive_and_wait();
  const int sum = s[t] + s[t + half];
  bar.arrive_and_wait();  // leave: second
  s[t] = sum;
  bar.arrive_and_wait();
  out[t] = s[half - 1 - t];
}

// One warp fills two buffers in turn, another one empties them. 1: it does not wait for
// full ones; 2: it gives them back before it has read them.
extern "C" __global__ void hand_over(int* out, const int* in, int rounds, int mode) {
  __shared__ Barrier full[2], empty[2];
  __shared__ int s[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], 32);
    init(&empty[threadIdx.x], 32);
  }
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int b = r & 1, turn = r >> 1 & 1;
    if (threadIdx.x < 32) {
      if (r > 1 && lane == 0) empty[b].wait_parity(turn ^ 1);
      __syncwarp();
      s[b][lane] = in[32 * r + lane];  // hand over: fill
      (void)full[b].arrive();
    } else {
      if (mode != 1 && lane == 0) full[b].wait_parity(turn);
      __syncwarp();
      if (mode == 2) (void)empty[b].arrive();
      sum += s[b][31 - lane];  // hand over: use
      if (mode != 2) (void)empty[b].arrive();
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

// A tile comes by cp.async. 1: nobody waits; 2: the source changes before the wait.
extern "C" __global__ void tile(int* out, int* in, int mode) {
  __shared__ Barrier bar;
  __shared__ alignas(16) int s[128];
  const int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  s[t] = -1;
  __syncthreads();
  cuda::memcpy_async(s + t, in + t, cuda::aligned_size_t<4>(4), bar);  // tile: copy
  auto token = bar.arrive();
  if (mode == 2) in[t] = 7;  // tile: change
  if (mode != 1) bar.wait(std::move(token));
  out[t] = s[127 - t];  // tile: use
}

// Two tiles on their way at a time. 1: consumer_wait() is missing; 2: released before
// it is read.
extern "C" __global__ void tiles(int* out, const int* in, int count, int mode) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ alignas(16) int s[kStages][128];
  const int t = threadIdx.x;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0, next = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
#pragma unroll 1
    for (; next < count && next < i + kStages; ++next) {
      pipe.producer_acquire();
      int* to = &s[next % kStages][t];
      const int* from = in + 128 * next + t;
      cuda::memcpy_async(to, from, cuda::aligned_size_t<4>(4), pipe);  // tiles: copy
      pipe.producer_commit();
    }
    if (mode != 1) pipe.consumer_wait();
    if (mode == 2) pipe.consumer_release();
    sum += s[i % kStages][127 - t];  // tiles: use
    if (mode != 2) pipe.consumer_release();
  }
  out[t] = sum;
}

__device__ void copy_4(int* to, const int* from) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from)
               : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kLeft>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

// Groups of copies. 1: the thread itself changes the source before its wait; 2: another
// one does, behind a barrier; 3: the own element is read before the wait, in a buffer
// that has been filled before; 4: so it is behind a barrier; 5: what others still read
// is copied over; 6: one group too few is waited for.
extern "C" __global__ void groups(int* out, int* in, int mode) {
  __shared__ int s[2][64];
  const int t = threadIdx.x, other = 63 - t;
  s[0][t] = s[1][t] = t;
  __syncthreads();
  int sum = 0;
  if (mode == 5) sum += s[0][other];  // groups: still
  copy_4(&s[0][t], in + t);           // groups: first
  commit();
  if (mode == 1) in[t] = 5;  // groups: own
  if (mode == 2) {
    __syncthreads();
    in[other] = 5;  // groups: behind
  }
  copy_4(&s[1][t], in + 64 + t);  // groups: next
  commit();
  if (mode == 3) sum += s[0][t];  // groups: before
  if (mode == 4) {
    __syncthreads();
    sum += s[0][t];  // groups: between
  }
  wait<1>();
  __syncthreads();
  sum += s[0][other];
  if (mode != 6) wait<0>();
  __syncthreads();
  sum += s[1][t];  // groups: second
  out[t] = sum;
}

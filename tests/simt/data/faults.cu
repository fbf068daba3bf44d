// One mistake a kernel; tests know each line.
extern "C" __global__ void past_end(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 1.0f;
}
extern "C" __global__ void read_before(float* out, const float* in) {
  int i = threadIdx.x;
  out[i] = in[i - 1];
}
extern "C" __global__ void misaligned(float* out) {
  float* p = (float*)((char*)out + threadIdx.x);
  *p = 1.0f;
}
extern "C" __global__ void copy(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
extern "C" __global__ void shared_past_end(int* out, int shift) {
  __shared__ int cells[32];
  cells[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = cells[threadIdx.x + shift];
}
__constant__ int table[16];
extern "C" __global__ void constant_past_end(int* out) {
  out[threadIdx.x] = table[threadIdx.x];
}
extern "C" __global__ void local_past_end(int* out, int n, int at) {
  int cells[8];
  for (int i = 0; i < 8; ++i) cells[i] = n * i;
  cells[at] = n;
  out[threadIdx.x] = cells[n & 7] + cells[at];
}
__device__ __noinline__ void set(float* to, int i) {
  to[i] = 2.0f;
}
extern "C" __global__ void in_function(float* out) {
  set(out, threadIdx.x * 2);
}
__device__ __forceinline__ void put(float* to, int i) {
  to[i] = 2.0f;
}
extern "C" __global__ void in_inlined(float* out) {
  put(out, threadIdx.x * 2);
}
extern "C" __global__ void divide(int* out, const int* by) {
  out[threadIdx.x] = 100 / by[threadIdx.x];
}
extern "C" __global__ void trapped(int* out) {
  if (out[threadIdx.x] == 5) asm volatile("trap;");
}
__device__ __noinline__ int deeper(int n, int* out) {
  out[0] = n;
  return n < 0 ? 0 : deeper(n + 1, out) + out[0];
}
extern "C" __global__ void endless_recursion(int* out) {
  out[1] = deeper(0, out);
}
extern "C" __global__ void endless_loop(volatile int* flag) {
  while (flag[0] == 0) {
  }
}
extern "C" __global__ void one_branch_barrier(int* out) {
  __shared__ int cells[64];
  cells[threadIdx.x] = 1;
  if (threadIdx.x < 16) {
    __syncthreads();
  }
  out[threadIdx.x] = cells[63 - threadIdx.x];
}
extern "C" __global__ void two_barriers(int* out) {
  __shared__ int cells[64];
  if (threadIdx.x < 32) {
    cells[threadIdx.x] = 1;
    __syncthreads();
  } else {
    cells[threadIdx.x] = 2;
    __syncthreads();
    out[0] = 5;
  }
  out[threadIdx.x] = cells[63 - threadIdx.x];
}
extern "C" __global__ void named_deadlock(int* out) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[0] = 1;
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[1] = 1;
  }
}
extern "C" __global__ void not_in_mask(int* out) {
  asm volatile("bar.warp.sync 0xffff;" ::: "memory");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void lane_never_comes(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16)
    asm volatile("shfl.sync.idx.b32 %0, %0, 3, 31, 0xffffffff;" : "+r"(v));
  out[threadIdx.x] = v;
}
extern "C" __global__ void early_exit_barrier(int* out, int n) {
  __shared__ int cells[64];
  if (threadIdx.x >= n) return;
  cells[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = cells[n - 1 - threadIdx.x];
}
// lo never passes mid when hi = lo + 1.
extern "C" __global__ void stuck_search(int* out, int key) {
  int lo = 0, hi = 64;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (out[mid] < key + 8) lo = mid;
    else hi = mid;
  }
  out[threadIdx.x] = lo;
}

"""The kernels that tests of the step view run, and the tracing of one."""

from __future__ import annotations

import numpy as np

from minitorch import cuda

SUM = """__global__ void block_sum(const float* x, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  #pragma unroll 1
  for (int h = 32; h > 0; h /= 2) {
    if (t < h)
      s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}"""

THREE_WARPS = """__global__ void early(int* x) {
  int t = threadIdx.x;
  if (t >= 64) return;
  x[t] = t;
  __syncthreads();
  x[t] += 1;
}"""

DIVERGE = """__global__ void parts(int* x) {
  int t = threadIdx.x;
  if (t % 2 == 0)
    x[t] = atomicAdd(x + 39, 1);
  else
    x[t] = atomicAdd(x + 38, 7);
}"""


# Each warp has a barrier of its own: an error.
TWO_BARRIERS = """__global__ void two(int* x) {
  int t = threadIdx.x;
  if (t < 32) {
    x[t] = 1;
    __syncthreads();
  } else {
    x[t] = 2;
    __syncthreads();
  }
  x[t] += 1;
}"""

# The first warp comes to the barrier twice; then the second has ended.
ROUNDS = """__global__ void rounds(int* x) {
  int t = threadIdx.x, n = t < 32 ? 2 : 1;
  #pragma unroll 1
  for (int k = 0; k < n; ++k) {
    x[t] = k;
    __syncthreads();
  }
}"""

# Each warp waits at a barrier of its own, by its number: that is allowed. The second
# one only arrives at the first one's.
GROUPS = """__global__ void groups(int* x) {
  int t = threadIdx.x;
  if (t < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.arrive 1, 64;\\n bar.sync 2, 32;" ::: "memory");
  x[t] = t;
}"""

HISTOGRAM = """__global__ void histogram(int* x) {
  __shared__ int total;
  __shared__ int part[4];
  if (threadIdx.x == 0) total = 0;
  if (threadIdx.x < 4) part[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&total, 1);
  atomicAdd(&part[threadIdx.x % 4], 1);
  __syncthreads();
  x[threadIdx.x] = total;
}"""

LOOP = """__global__ void k(int* x, int n) {
  int s = 0;
  #pragma unroll 1
  for (int i = 0; i < n; i++) s += x[i];
  x[n + threadIdx.x] = s;
}"""


@cuda.jit
def tiles(x, y):
    board = cuda.shared.array((2, 16), np.float32)
    t = cuda.threadIdx.x
    board[t // 16, t % 16] = x[t]
    cuda.syncthreads()
    y[t] = board[1 - t // 16, t % 16]


def traced(code, grid, block, *arguments, **options):
    """Run the kernel of a text, traced."""
    name = code.split("(")[0].split()[-1]
    with cuda.inspect(trace=True, **options) as run:
        cuda.RawKernel(code, name)[grid, block](*arguments)
    return run.launches[0]


TILED = """__global__ void tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float As[T][T];
  __shared__ float Bs[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float acc = 0;
  #pragma unroll 1
  for (int t = 0; t < n / T; t++) {
    As[y][x] = A[row * n + t * T + x];
    Bs[y][x] = B[(t * T + y) * n + col];
    __syncthreads();
    #pragma unroll 1
    for (int k = 0; k < T; k++)
      acc += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  C[row * n + col] = acc;
}"""


def block_sum():
    """A block that adds 64 numbers."""
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    return traced(SUM, 1, 64, x, cuda.device_array(1, "float32"))


def tiled(side, debug=False):
    """A matrix product in tiles of side × side, of matrices twice as large, traced."""
    size = 2 * side
    numbers = np.random.default_rng(0).random((2, size, size), np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    kernel = cuda.RawKernel(f"#define T {side}\n{TILED}", "tiled")
    with cuda.inspect(trace=True, debug=debug) as run:
        kernel[(2, 2), (side, side)](a, b, cuda.device_array((size, size), "f4"), size)
    return run.launches[0]

"""Owns the kernels that tests of the step view run."""

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


def traced(code: str, grid, block, *arguments) -> cuda.Launch:
    """Run the kernel of a text, traced."""
    name = code.split("(")[0].split()[-1]
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, name)[grid, block](*arguments)
    return run.launches[0]

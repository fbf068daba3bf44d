"""Owns the pictures of docs/viz.md: runs its kernels on the emulator and draws them.

Usage: python docs/make_viz_pictures.py [FOLDER]; without a folder docs/pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import minitorch
from minitorch import cuda, viz

MATMUL = """__global__ void matmul(const float* A, const float* B, float* C) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < 16; k++) acc += A[row * 16 + k] * B[k * 16 + col];
  C[row * 16 + col] = acc;
}"""

TRANSPOSE = """__global__ void transpose(const float* a, float* b) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[y + j][x] = a[(y + j) * 32 + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    b[x * 32 + y + j] = tile[x][y + j];
}"""

BLOCK_SUM = """__global__ void block_sum(const float* x, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int h = 32; h > 0; h /= 2) {
    if (t < h)
      s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}"""

TILE = """__global__ void tile(float* x) {
  __shared__ float s[6144];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[255 - threadIdx.x];
}"""

COLLATZ = """__global__ void collatz(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], c = 0;
  while (v > 1) {
    if (v % 2 == 0)
      v = v / 2;
    else
      v = 3 * v + 1;
    c = c + 1;
  }
  y[i] = c;
}"""


TILED = """__global__ void tiled(const float* A, const float* B, float* C) {
  __shared__ float As[8][8], Bs[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
  float acc = 0;
  for (int t = 0; t < 2; t++) {
    As[y][x] = A[row * 16 + t * 8 + x];
    Bs[y][x] = B[(t * 8 + y) * 16 + col];
    __syncthreads();
    #pragma unroll 1
    for (int k = 0; k < 8; k++)
      acc += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  C[row * 16 + col] = acc;
}"""


def grid() -> viz.Figure:
    """Which cells a thread of a matrix product touches."""
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    c = cuda.device_array((16, 16), "float32")
    kernel = cuda.RawKernel(MATMUL, "matmul")
    with cuda.inspect(trace=True) as run:
        kernel[(2, 2), (8, 8)](a, b, c)
    return viz.grid(run.launches[0], (3, 2), (0, 1))


def memory() -> viz.Figure:
    """What a transposition moves, and how its tile lies in the banks."""
    kernel = cuda.RawKernel(TRANSPOSE, "transpose")
    a = cuda.to_device(np.arange(1024, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        kernel[1, (32, 8)](a, cuda.device_array(1024, "float32"))
    return viz.memory(run.launches[0])


def race() -> viz.Figure:
    """A sum that lacks a barrier."""
    kernel = cuda.RawKernel(BLOCK_SUM, "block_sum")
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        kernel[1, 64](x, cuda.device_array(1, "float32"))
    return viz.race(run.launches[0])


def sms() -> viz.Figure:
    """Blocks that are held back by their shared memory, on two cards."""
    kernel = cuda.RawKernel(TILE, "tile")
    with cuda.inspect(checks="memory") as run:
        kernel[200, 256](cuda.to_device(np.zeros(256, np.float32)))
    return viz.sms(run.launches[0], kernel, ("t4", "rtx3090"))


def collatz(blocks: int, threads: int) -> cuda.Launch:
    """Threads whose loops differ in length."""
    count = blocks * threads
    x = cuda.to_device(np.arange(1, count + 1, dtype=np.int32))
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel(COLLATZ, "collatz")
        kernel[blocks, threads](x, cuda.device_array(count, "int32"), count)
    return run.launches[0]


def divergence() -> viz.Figure:
    """One warp of a loop whose threads leave it one after the other."""
    return viz.divergence(collatz(1, 64))


def tensor() -> viz.Figure:
    """What a permutation does."""
    t = minitorch.tensor(np.arange(10, 22).reshape(3, 4))
    return viz.tensor(t, t.permute(1, 0), index=(1, 2), names=("t", "t.permute(1, 0)"))


def graph() -> viz.Figure:
    """A small network, with the gradients of its result."""
    x, y = minitorch.Scalar(2.0, name="x"), minitorch.Scalar(3.0, name="y")
    return viz.graph((x * y + x).relu() * y)


def overview() -> viz.Figure:
    """4,096 threads whose loops differ in length."""
    return viz.overview(collatz(16, 256))


def products() -> list[cuda.Launch]:
    """A matrix product without and with tiles in shared memory."""
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    c = cuda.device_array((16, 16), "float32")
    with cuda.inspect() as run:
        cuda.RawKernel(MATMUL, "matmul")[(2, 2), (8, 8)](a, b, c)
        cuda.RawKernel(TILED, "tiled")[(2, 2), (8, 8)](a, b, c)
    return list(run.launches)


def counters() -> viz.Figure:
    """Which line of the product in tiles asks for memory."""
    return viz.counters(products()[1], "sectors")


def compare() -> viz.Figure:
    """What tiles change."""
    return viz.compare(*products())


def step() -> viz.Figure:
    """What each thread of a block does in one step of a matrix product in tiles."""
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    kernel = cuda.RawKernel(TILED, "tiled")
    with cuda.inspect(trace=True, debug=True) as run:
        kernel[(2, 2), (8, 8)](a, b, cuda.device_array((16, 16), "float32"))
    return viz.step(run.launches[0])


VIEWS = {
    "grid": grid,
    "memory": memory,
    "race": race,
    "step": step,
    "divergence": divergence,
    "overview": overview,
    "counters": counters,
    "compare": compare,
    "sms": sms,
    "tensor": tensor,
    "graph": graph,
}


def main() -> None:
    """Write one SVG for each view."""
    default = Path(__file__).parent / "pictures"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in VIEWS.items():
        draw().save(folder / f"{name}.svg")


if __name__ == "__main__":
    main()

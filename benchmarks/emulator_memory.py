"""Measures how much memory the checks take: peak resident memory beyond the arrays'."""

from __future__ import annotations

from .report import ROOT, Row, child

_MEASURE = """
import os, re
from pathlib import Path
import numpy as np
from minitorch import cuda
SOURCE = '''
// Every cell once, in an order that no formula of the engine foresees.
extern "C" __global__ void scale(float* out, const float* in, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = (i ^ (i >> 3)) & mask;
  out[j] = in[j] * 2.0f + 1.0f;
}
// The last of the launch's blocks is told by a ticket; cells are ordered by fences.
extern "C" __global__ void fenced(float* out, const float* in, int mask) {
  __shared__ unsigned ticket;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = 1 + ((i ^ (i >> 3)) & (mask >> 1));
  out[j] = in[j] * 2.0f + 1.0f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)out, 1u);
  __syncthreads();
  if (ticket == gridDim.x - 1) out[1 + threadIdx.x] += 1.0f;
}
'''
def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+)", status).group(1)) * 1024
cells = int(os.environ["CELLS"])
host = np.ones(cells, np.float32)
kernel = cuda.RawKernel(SOURCE, os.environ["KERNEL"])
small = [cuda.to_device(host[:1024]) for _ in range(2)]
kernel[4, 256](*small, np.int32(1023))
cuda.synchronize()
before = peak()
one = cuda.to_device(host)
two = one if os.environ["IN_PLACE"] == "1" else cuda.to_device(host)
with cuda.checks(os.environ["LEVEL"]):
    kernel[cells // 256, 256](one, two, np.int32(cells - 1))
    cuda.synchronize()
arrays = one.nbytes if two is one else 2 * one.nbytes
print((peak() - before - arrays) / arrays)
"""


def _extra(kernel: str, level: str, in_place: bool) -> float:
    """Peak memory beyond the arrays, as a part of theirs."""
    return float(
        child(
            _MEASURE,
            MINITORCH_CUDA="emulator",
            KERNEL=kernel,
            # What fences order takes time in the square of the number of blocks.
            CELLS=str(1 << (17 if kernel == "fenced" else 24)),
            LEVEL=level,
            IN_PLACE=str(int(in_place)),
            PYTHONPATH=str(ROOT),
        )
    )


def rows() -> list[Row]:
    result = []
    for what, kernel, level, in_place, bar in (
        ("memory and uninitialised", "scale", "memory", False, 0.25),
        ("all checks, two arrays", "scale", "full", False, 1.0),
        ("all checks, one array read and written", "scale", "full", True, 1.0),
        ("all checks, kernel with fences", "fenced", "full", False, 6.0),
    ):
        extra = _extra(kernel, level, in_place)
        result.append(
            Row(
                f"peak memory beyond the arrays': {what}",
                f"{extra:.2f} x",
                f"<= {bar} x",
                extra <= bar,
            )
        )
    return result

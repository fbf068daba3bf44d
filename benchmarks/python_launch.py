"""Measures what a kernel in Python costs the host: translation and a warm launch."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from minitorch import cuda
from minitorch.cuda.language.kernel import compile_kernel

from .report import Row, best_seconds

_BATCH = 100  # launches that the stream's queue takes without waiting
_REPEATS = 40


@cuda.jit
def six(a, b, c, d, e, f):
    """Do nothing with six arrays, so that the device is never waited for."""


@cuda.jit
def tiled_matmul(c, a, b):
    """Multiply by tiles: thirty lines, as a learner writes them."""
    tile_a = cuda.shared.array((16, 16), cuda.float32)
    tile_b = cuda.shared.array((16, 16), cuda.float32)
    row, column = cuda.grid(2)
    y = cuda.threadIdx.x
    x = cuda.threadIdx.y
    rows = c.shape[0]
    columns = c.shape[1]
    inner = a.shape[1]
    total = 0.0
    start = 0
    while start < inner:
        if row < rows and start + x < inner:
            tile_a[y, x] = a[row, start + x]
        else:
            tile_a[y, x] = 0.0
        if column < columns and start + y < inner:
            tile_b[y, x] = b[start + y, column]
        else:
            tile_b[y, x] = 0.0
        cuda.syncthreads()
        for k in range(16):
            left = tile_a[y, k]
            right = tile_b[k, x]
            total += left * right
        cuda.syncthreads()
        start += 16
    if row < rows and column < columns:
        c[row, column] = total


def call_seconds(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """Seconds of one call: the shortest of many batches, the waits not counted."""
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        for _ in range(_BATCH):
            call()
        best = min(best, (time.perf_counter() - start) / _BATCH)
        wait()
    return best


def rows() -> list[Row]:
    x, y = np.arange(10.0), np.arange(10.0)
    arrays = [cuda.to_device(np.zeros(16, np.float32)) for _ in range(6)]
    six[1, 32](*arrays)
    cuda.synchronize()
    add = call_seconds(lambda: x + y, lambda: None)
    launch = call_seconds(lambda: six[1, 32](*arrays), cuda.synchronize)
    types = (cuda.float32[:, ::1],) * 3
    compile_kernel(tiled_matmul.py_func, types)
    translated = best_seconds(lambda: compile_kernel(tiled_matmul.py_func, types))
    return [
        Row(
            "warm launch of a Python kernel with 6 arrays / NumPy's small add",
            f"{launch * 1e6:.1f} us, {launch / add:.0f} x",
            "<= 40 x",
            launch <= 40 * add,
        ),
        Row(
            "translation of a Python kernel of 30 lines",
            f"{translated * 1e3:.1f} ms",
            "<= 25 ms",
            translated <= 25e-3,
        ),
    ]

"""Right kernels of two and three dimensions, for mutants of their indices.

Each is a function of arrays that plain Python can run as well: `cuda` is the real
module or a stand-in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitorch import cuda


@dataclass(frozen=True)
class Case:
    """A kernel with its launch; `arguments` makes fresh arrays."""

    function: Callable[..., None]
    grid: Any
    block: Any
    arguments: Callable[[], tuple[Any, ...]]


CASES = []


def launched(grid, block, *makers):
    """Register a kernel: each maker is a shape of numbers, or gives an argument."""

    def arguments():
        return tuple(each() if callable(each) else numbers(each) for each in makers)

    def register(function):
        CASES.append(Case(function, grid, block, arguments))
        return function

    return register


def numbers(shape):
    """Small whole numbers, as float64."""
    return (np.arange(np.prod(shape)) % 7 + 1.0).reshape(shape)


@launched((2, 2), (3, 4), (5, 7), (7, 5))
def transpose(x, out):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        out[c, r] = x[r, c]


@launched((2, 2), (4, 4), (5, 6), (6, 7), (5, 7))
def tiled_matmul(a, b, out):
    left = cuda.shared.array((4, 4), np.float64)
    right = cuda.shared.array((4, 4), np.float64)
    ty, tx = cuda.threadIdx.x, cuda.threadIdx.y
    r, c = cuda.grid(2)
    total = 0.0
    for start in range(0, a.shape[1], 4):
        left[ty, tx] = 0.0
        if r < a.shape[0] and start + tx < a.shape[1]:
            left[ty, tx] = a[r, start + tx]
        right[ty, tx] = 0.0
        if start + ty < b.shape[0] and c < b.shape[1]:
            right[ty, tx] = b[start + ty, c]
        cuda.syncthreads()
        for k in range(4):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = total


@launched((2, 2), (4, 4), (6, 7), (7, 6))
def tiled_transpose(x, out):
    tile = cuda.shared.array((4, 5), np.float64)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        tile[i, j] = x[r, c]
    cuda.syncthreads()
    r = cuda.blockIdx.y * 4 + i
    c = cuda.blockIdx.x * 4 + j
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = tile[j, i]


@launched((2, 2), (3, 4), (5, 7), (5, 7))
def blur(x, out):
    r, c = cuda.grid(2)
    rows, columns = x.shape
    if 0 < r < rows - 1 and 0 < c < columns - 1:
        near = x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1]
        out[r, c] = 0.5 * x[r, c] + 0.125 * near


@launched((2, 2), (3, 4), (7, 9), (3, 4), (5, 6))
def convolve(x, w, out):
    r, c = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        total = 0.0
        for i in range(w.shape[0]):
            for j in range(w.shape[1]):
                total += x[r + i, c + j] * w[i, j]
        out[r, c] = total


@launched((2, 2), (2, 2), (6, 8), (3, 4))
def max_pool(x, out):
    r, c = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        best = x[2 * r, 2 * c]
        for i in range(2):
            for j in range(2):
                best = max(best, x[2 * r + i, 2 * c + j])
        out[r, c] = best


@launched(5, 8, (5, 7), (5,))
def block_row_sums(x, out):
    partial = cuda.shared.array(8, np.float64)
    r, t = cuda.blockIdx.x, cuda.threadIdx.x
    partial[t] = 0.0
    if t < x.shape[1]:
        partial[t] = x[r, t]
    cuda.syncthreads()
    half = 4
    while half > 0:
        if t < half:
            partial[t] += partial[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[r] = partial[0]


@launched(2, 4, (5, 7), (5, 7))
def row_views(x, out):
    r = cuda.grid(1)
    if r < x.shape[0]:
        source = x[r]
        target = out[r]
        for c in range(source.shape[0]):
            target[c] = 2 * source[c]


@launched((2, 2), (3, 4), (5, 7), (4, 6))
def slices(x, out):
    r, c = cuda.grid(2)
    inner = x[1:, :6]
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = inner[r, c]


@launched((2, 2), (3, 4), (5, 7), (5, 7))
def last_first(x, out):
    r, c = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = x[-1, c] + x[r, -1]


@launched((2, 2, 2), (2, 2, 2), (3, 4, 2), (2, 3, 4))
def rotate_axes(x, out):
    i, j, k = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        out[k, i, j] = x[i, j, k]


@launched((2, 2, 2), (2, 2, 1), (2, 3, 4), (2, 4, 3), (2, 3, 3))
def batch_matmul(a, b, out):
    r, c, n = cuda.grid(3)
    if n < out.shape[0] and r < out.shape[1] and c < out.shape[2]:
        total = 0.0
        for k in range(a.shape[2]):
            total += a[n, r, k] * b[n, k, c]
        out[n, r, c] = total


@launched((2, 2), (3, 4), lambda: numbers((9, 14))[::2, ::2], (5, 7))
def strided(x, out):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        out[r, c] = x[r, c]


@launched((2, 2), (3, 4), lambda: numbers((2, 5, 7))[1], lambda: numbers((8, 7))[1:6])
def part_of_more(x, out):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        out[r, c] = x[r, c]


@launched(2, 4, (5, 3), (5,))
def local_rows(x, out):
    mine = cuda.local.array((2, 3), np.float64)
    r = cuda.grid(1)
    if r < x.shape[0]:
        for c in range(3):
            mine[0, c] = x[r, c]
            mine[1, c] = 2 * x[r, c]
        total = 0.0
        for c in range(3):
            total += mine[0, c] * mine[1, c]
        out[r] = total


@launched((2, 2), (3, 4), (5, 7), (3, 4))
def counts_of_two(x, out):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        cuda.atomic.add(out, (r // 2, c // 2), x[r, c])


@launched(1, (2, 3), (5, 7), (5, 7))
def grid_stride(x, out):
    r0, c0 = cuda.grid(2)
    rows, columns = cuda.gridsize(2)
    for r in range(r0, x.shape[0], rows):
        for c in range(c0, x.shape[1], columns):
            out[r, c] = x[r, c]


@launched((2, 2), (4, 4), (7, 7), (7, 7))
def tile_with_edge(x, out):
    tile = cuda.shared.array((6, 6), np.float64)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    r, c = cuda.grid(2)
    tile[i + 1, j + 1] = 0.0
    if r < x.shape[0] and c < x.shape[1]:
        tile[i + 1, j + 1] = x[r, c]
    if i == 0:
        tile[0, j + 1] = 0.0
        tile[5, j + 1] = 0.0
    cuda.syncthreads()
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = tile[i, j + 1] + tile[i + 1, j + 1] + tile[i + 2, j + 1]


@launched((2, 2), (3, 4), (5, 7), (35,))
def flatten(x, out):
    r, c = cuda.grid(2)
    if r < x.shape[0] and c < x.shape[1]:
        out[r * x.shape[1] + c] = x[r, c]


@launched((2, 2), (3, 4), (4, 5, 3), (4, 5))
def channel_mean(x, out):
    r, c = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        pixel = x[r, c]
        out[r, c] = (pixel[0] + pixel[1] + pixel[2]) / 3


@launched((2, 2), (3, 4), (5, 7), (5, 7))
def increment(x, out):
    r, c = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] += x[r, c]


@launched((2, 2), (3, 4), lambda: (numbers((5, 7)), numbers((5, 7))), (5, 7))
def tuple_of_arrays(pair, out):
    r, c = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = pair[0][r, c] + pair[1][r, c]

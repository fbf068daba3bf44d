"""Kernels that solve the exercises of lessons 06 to 11, and usual wrong ones."""

from __future__ import annotations

import numpy as np

from minitorch import cuda


def count(out, a):
    i = cuda.grid(1)
    if i < a.size and a[i] > 0:
        cuda.atomic.add(out, 0, 1)


def count_of_0_too(out, a):
    i = cuda.grid(1)
    if i < a.size and a[i] >= 0:
        cuda.atomic.add(out, 0, 1)


def count_without_atomics(out, a):
    i = cuda.grid(1)
    if i < a.size and a[i] > 0:
        out[0] += 1


def two_rounds(out, a):
    tile = cuda.shared.array(64, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    cuda.syncthreads()
    for _ in range(2):
        following = tile[(t + 1) % 64]
        cuda.syncthreads()
        tile[t] += following
        cuda.syncthreads()
    out[i] = tile[t]


def two_rounds_with_one_barrier(out, a):
    tile = cuda.shared.array(64, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    cuda.syncthreads()
    for _ in range(2):
        following = tile[(t + 1) % 64]
        tile[t] += following
        cuda.syncthreads()
    out[i] = tile[t]


def plus_one(out, a):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, column] + 1


def plus_one_down_columns(out, a):
    row, column = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, column] + 1


def four_each(out, a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = 2 * a[i]


def plus_one_with_sides_swapped(out, a):
    column, row = cuda.grid(2)
    if row < out.shape[1] and column < out.shape[0]:
        out[row, column] = a[row, column] + 1


def four_each_of_512(out, a):
    if a.size == 512:
        for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            out[i] = 2 * a[i]
    else:
        first = 4 * cuda.grid(1)
        for i in range(first, first + 4):
            out[i] = 2 * a[i]


def four_neighbours_each(out, a):
    first = 4 * cuda.grid(1)
    for i in range(first, first + 4):
        out[i] = 2 * a[i]


def turn(out, a):
    tile = cuda.shared.array((32, 33), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = 32 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    tile[y, x] = a[top + y, left + x]
    cuda.syncthreads()
    out[left + y, top + x] = tile[x, y]


def turn_with_rows_of_32(out, a):
    tile = cuda.shared.array((32, 32), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = 32 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    tile[y, x] = a[top + y, left + x]
    cuda.syncthreads()
    out[left + y, top + x] = tile[x, y]


def turn_with_blocks_swapped(out, a):
    tile = cuda.shared.array((32, 33), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = 32 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    tile[y, x] = a[top + y, left + x]
    cuda.syncthreads()
    out[left + y, top + x] = tile[x, y]


def turn_without_a_tile(out, a):
    column, row = cuda.grid(2)
    out[column, row] = a[row, column]


def row_sums(out, a):
    tile = cuda.shared.array((32, 33), np.float32)
    t = cuda.threadIdx.x
    for row in range(32):
        tile[row, t] = a[row, t]
    cuda.syncthreads()
    total = np.float32(0)
    for column in range(32):
        total += tile[t, column]
    out[t] = total


def row_sums_by_global_reads(out, a):
    t = cuda.threadIdx.x
    total = np.float32(0)
    for column in range(32):
        total += a[t, column]
    out[t] = total


def largest_of_a_warp(out, a):
    i = cuda.grid(1)
    x = a[i]
    step = 16
    while step > 0:
        x = max(x, cuda.shfl_down_sync(-1, x, step))
        step //= 2
    if i % 32 == 0:
        out[i // 32] = x


def largest_without_lane_16(out, a):
    i = cuda.grid(1)
    x = a[i]
    x = max(x, cuda.shfl_down_sync(-1, x, 17))
    step = 8
    while step > 0:
        x = max(x, cuda.shfl_down_sync(-1, x, step))
        step //= 2
    if i % 32 == 0:
        out[i // 32] = x


def largest_by_a_tile(out, a):
    tile = cuda.shared.array(1024, np.float32)
    i = cuda.grid(1)
    tile[i] = a[i]
    cuda.syncthreads()
    if i % 32 == 0:
        x = tile[i]
        for k in range(1, 32):
            x = max(x, tile[i + k])
        out[i // 32] = x


def uneven(out, a):
    t = cuda.threadIdx.x
    if t < 64:
        total = np.float32(0)
        for column in range(16):
            total += a[2 * t, column]
        out[2 * t] = total
    else:
        row = 2 * (t - 64) + 1
        out[row] = a[row, 0]


def uneven_row_by_row(out, a):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        total = np.float32(0)
        for column in range(16):
            total += a[t, column]
        out[t] = total
    else:
        out[t] = a[t, 0]


def tiled(out, a, b):
    tile_a = cuda.shared.array((16, 16), np.float32)
    tile_b = cuda.shared.array((16, 16), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, a.shape[1], 16):
        tile_a[y, x] = a[row, first + x]
        tile_b[y, x] = b[first + y, column]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    out[row, column] = total


def tiled_with_one_barrier(out, a, b):
    tile_a = cuda.shared.array((16, 16), np.float32)
    tile_b = cuda.shared.array((16, 16), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, a.shape[1], 16):
        tile_a[y, x] = a[row, first + x]
        tile_b[y, x] = b[first + y, column]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[y, k] * tile_b[k, x]
    out[row, column] = total


def without_tiles(out, a, b):
    column, row = cuda.grid(2)
    total = np.float32(0)
    for k in range(a.shape[1]):
        total += a[row, k] * b[k, column]
    out[row, column] = total


def fused(out, a, b):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = max(2 * a[i] + b[i], 0)


def fused_without_guard(out, a, b):
    i = cuda.grid(1)
    out[i] = max(2 * a[i] + b[i], 0)


SOLUTIONS = {
    "06.2": count,
    "06.3": two_rounds,
    "07.2": plus_one,
    "07.3": four_each,
    "08.2": turn,
    "08.3": row_sums,
    "09.3": largest_of_a_warp,
    "09.4": uneven,
    "10.3": tiled,
    "11.3": fused,
}
# Exercise, kernel, what is said of it. The sectors are counted by hand: a warp of 32
# threads that are rows apart touches 32 of them, one whose threads are 16 bytes apart
# touches 16.
MISTAKES = [
    ("06.2", count_of_0_too, "out[0] is"),
    ("06.2", count_without_atomics, "use cuda.atomic.add"),
    ("06.3", two_rounds_with_one_barrier, "race on tile["),
    ("07.2", plus_one_down_columns, f"{64 * 2 * 32:,} sectors loaded; 512 are"),
    ("07.2", plus_one_with_sides_swapped, "are row and column swapped?"),
    ("07.3", four_each_of_512, "with inputs (256,)"),
    ("07.3", four_neighbours_each, f"{512 // 128 * 4 * 16} sectors loaded; 64 are"),
    ("08.2", turn_with_rows_of_32, f"{4 * 32 * 31:,} passes too many; 0 are enough"),
    ("08.2", turn_with_blocks_swapped, "out-of-bounds read: a["),
    ("08.2", turn_without_a_tile, f"{64 * 2 * 32:,} sectors stored; 512 are enough"),
    ("08.3", row_sums_by_global_reads, f"{32 * 32:,} sectors loaded; 128 are enough"),
    ("09.3", largest_without_lane_16, "1 of 32 cells of out differ"),
    ("09.3", largest_by_a_tile, "A shuffle needs no shared memory"),
    ("09.4", uneven_row_by_row, "branches that split a warp; 0 are enough"),
    ("10.3", tiled_with_one_barrier, "race on tile_"),
    ("10.3", without_tiles, "sectors loaded; 1,728 are enough"),
    ("11.3", fused_without_guard, "Guard the access"),
]

"""Kernels that solve the exercises of the lessons, and usual wrong ones."""

from __future__ import annotations

import numpy as np

from minitorch import cuda


def mine(out, a):
    i = cuda.threadIdx.x
    out[i] = 3 * i + 1


def square(out, a):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    out[i] = a[i] * a[i]


def place(out, a):
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    out[row, column] = 10 * row + column


def half(out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] / 2


def half_of_a_matrix(out, a):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, column] / 2


def relu(out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = max(a[i], 0)


def scaled_sum(out, a, b):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * a[i] + b[i]


def add_row(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, column] + b[column]


def half_without_guard(out, a):
    i = cuda.grid(1)
    out[i] = a[i] / 2


def half_one_too_few(out, a):
    i = cuda.grid(1)
    if i < out.size - 1:
        out[i] = a[i] / 2


def half_guarded_by_or(out, a):
    column, row = cuda.grid(2)
    if row < out.shape[0] or column < out.shape[1]:
        out[row, column] = a[row, column] / 2


def place_but_for_the_corner(out, a):
    column, row = cuda.grid(2)
    if row + column > 0:
        out[row, column] = 10 * row + column


def reverse(out, a):
    tile = cuda.shared.array(8, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[7 - t]


def ring(out, a):
    tile = cuda.shared.array(8, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[t] + tile[(t + 1) % 8]


def largest(out, a):
    tile = cuda.shared.array(16, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    half = 8
    while half > 0:
        if t < half:
            tile[t] = max(tile[t], tile[t + half])
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = tile[0]


def sums_of_blocks(out, a):
    tile = cuda.shared.array(16, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    half = 8
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


def largest_without_barriers(out, a):
    tile = cuda.shared.array(16, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    half = 8
    while half > 0:
        if t < half:
            tile[t] = max(tile[t], tile[t + half])
        half //= 2
    if t == 0:
        out[0] = tile[0]


def largest_from_0(out, a):
    tile = cuda.shared.array(16, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    if t == 0:
        x = np.float32(0)
        for k in range(16):
            x = max(x, tile[k])
        out[0] = x


def sums_with_nothing_put_down(out, a):
    tile = cuda.shared.array(16, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i < a.size:
        tile[t] = a[i]
    cuda.syncthreads()
    half = 8
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


def reverse_without_barrier(out, a):
    tile = cuda.shared.array(8, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    out[i] = tile[7 - t]


def relu_of_a_matrix(out, x):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = max(x[row, column], 0)


def matmul(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        out[row, column] = total


def matmul_back_a(out, d, b):
    k, row = cuda.grid(2)
    if row < out.shape[0] and k < out.shape[1]:
        total = np.float32(0)
        for j in range(d.shape[1]):
            total += d[row, j] * b[k, j]
        out[row, k] = total


def matmul_back_b(out, a, d):
    column, k = cuda.grid(2)
    if k < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for i in range(a.shape[0]):
            total += a[i, k] * d[i, column]
        out[k, column] = total


def relu_back(out, d, x):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = d[row, column] if x[row, column] > 0 else 0


def bias_back(out, d):
    column = cuda.grid(1)
    if column < out.size:
        total = np.float32(0)
        for row in range(d.shape[0]):
            total += d[row, column]
        out[column] = total


def relu_back_of_0_too(out, d, x):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = d[row, column] if x[row, column] >= 0 else 0


def matmul_one_too_far(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1] + 1):
            total += a[row, k] * b[k, column]
        out[row, column] = total


SOLUTIONS = {
    "00.2": mine,
    "01.4": square,
    "01.5": place,
    "02.3": half,
    "02.4": half_of_a_matrix,
    "03.1": relu,
    "03.2": scaled_sum,
    "03.3": add_row,
    "04.2": reverse,
    "04.3": ring,
    "05.2": largest,
    "05.3": sums_of_blocks,
    "14.1": relu_of_a_matrix,
    "14.2": relu_back,
    "14.3": matmul,
    "14.4": matmul_back_a,
    "14.5": matmul_back_b,
    "14.6": bias_back,
}
# Exercise, kernel, what is said of it.
MISTAKES = [
    ("01.5", place_but_for_the_corner, "99.0 was in every cell before"),
    ("02.3", half_without_guard, "Guard the access"),
    ("02.3", half_one_too_few, "1 of 13 cells of out differ"),
    ("02.4", half_guarded_by_or, "out-of-bounds read: a["),
    ("04.2", reverse_without_barrier, "race on tile["),
    ("05.2", largest_without_barriers, "race on tile["),
    ("05.2", largest_from_0, "out[0] is 0.0; need -"),
    ("05.3", sums_with_nothing_put_down, "tile["),
    ("14.2", relu_back_of_0_too, "cells of out differ"),
    ("14.3", matmul_one_too_far, "a[row, k] with row = 0, k = 5, but a has shape"),
]

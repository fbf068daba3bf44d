"""A solution of each GPU puzzle, with no more reads and writes than it needs."""

from __future__ import annotations

from minitorch import cuda

MAX_CONV = 4


def add_ten(out, a):
    i = cuda.threadIdx.x
    out[i] = a[i] + 10


def add(out, a, b):
    i = cuda.threadIdx.x
    out[i] = a[i] + b[i]


def add_ten_guarded(out, a, size):
    i = cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + 10


def add_ten_2d(out, a, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if i < size and j < size:
        out[i, j] = a[i, j] + 10


def add_outer(out, a, b, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if i < size and j < size:
        out[i, j] = a[i, 0] + b[0, j]


def add_ten_blocks(out, a, size):
    i = cuda.grid(1)
    if i < size:
        out[i] = a[i] + 10


def add_ten_blocks_2d(out, a, size):
    i, j = cuda.grid(2)
    if i < size and j < size:
        out[i, j] = a[i, j] + 10


def add_ten_shared(out, a, size):
    tpb = 4
    shared = cuda.shared.array(tpb, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i]
    cuda.syncthreads()
    if i < size:
        out[i] = shared[local_i] + 10


def sum_last_three(out, a, size):
    shared = cuda.shared.array(8, cuda.float32)
    i = cuda.threadIdx.x
    total = cuda.float32(0)
    if i < size:
        total = a[i]
        shared[i] = total
    cuda.syncthreads()
    if i < size:
        if i > 0:
            total += shared[i - 1]
        if i > 1:
            total += shared[i - 2]
        out[i] = total


def dot(out, a, b, size):
    shared = cuda.shared.array(8, cuda.float32)
    i = cuda.threadIdx.x
    if i < size:
        shared[i] = a[i] * b[i]
    cuda.syncthreads()
    if i == 0:
        total = cuda.float32(0)
        for k in range(size):
            total += shared[k]
        out[0] = total


TPB = 8
TPB_MAX_CONV = TPB + MAX_CONV


def convolve(out, a, b, a_size, b_size):
    cells = cuda.shared.array(TPB_MAX_CONV, cuda.float32)
    weights = cuda.shared.array(MAX_CONV, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    cells[local_i] = a[i] if i < a_size else 0
    if local_i < MAX_CONV:
        beyond = i + TPB
        cells[local_i + TPB] = a[beyond] if beyond < a_size else 0
    else:
        j = local_i - MAX_CONV
        weights[j] = b[j] if j < b_size else 0
    cuda.syncthreads()
    if i < a_size:
        total = cuda.float32(0)
        for j in range(b_size):
            total += cells[local_i + j] * weights[j]
        out[i] = total


def sum_blocks(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    total = cuda.float32(0)
    if i < size:
        total = a[i]
    half = TPB // 2
    while half > 0:
        if half <= local_i < 2 * half:
            cache[local_i] = total
        cuda.syncthreads()
        if local_i < half:
            total += cache[local_i + half]
        half //= 2
    if local_i == 0:
        out[cuda.blockIdx.x] = total


def sum_rows(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    local_i = cuda.threadIdx.x
    row = cuda.blockIdx.y
    total = cuda.float32(0)
    if local_i < size:
        total = a[row, local_i]
    half = TPB // 2
    while half > 0:
        if half <= local_i < 2 * half:
            cache[local_i] = total
        cuda.syncthreads()
        if local_i < half:
            total += cache[local_i + half]
        half //= 2
    if local_i == 0:
        out[row, 0] = total


TILE = 3


def multiply(out, a, b, size):
    a_tile = cuda.shared.array((TILE, TILE), cuda.float32)
    b_tile = cuda.shared.array((TILE, TILE), cuda.float32)
    i, j = cuda.grid(2)
    local_i = cuda.threadIdx.x
    local_j = cuda.threadIdx.y
    total = cuda.float32(0)
    for start in range(0, size, TILE):
        row = start + local_i
        column = start + local_j
        a_tile[local_i, local_j] = a[i, column] if i < size and column < size else 0
        b_tile[local_i, local_j] = b[row, j] if row < size and j < size else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[local_i, k] * b_tile[k, local_j]
        cuda.syncthreads()
    if i < size and j < size:
        out[i, j] = total


#: In the order of the puzzles.
SOLUTIONS = (
    add_ten,
    add,
    add_ten_guarded,
    add_ten_2d,
    add_outer,
    add_ten_blocks,
    add_ten_blocks_2d,
    add_ten_shared,
    sum_last_three,
    dot,
    convolve,
    sum_blocks,
    sum_rows,
    multiply,
)

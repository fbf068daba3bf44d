"""A wrong twin of each solution: right values on a lucky day, and yet a fault.

Lucky is hardware whose warps run in step, whose memory goes on beyond an array and
whose shared memory starts with zeros. The faulty line ends with the comment `wrong`.
"""

from __future__ import annotations

from minitorch import cuda

TPB = 8


def map_to_the_right(out, a):
    i = cuda.threadIdx.x
    if i == 0:
        out[0] = a[0] + 10
    out[i + 1] = a[i + 1] + 10  # wrong: the last thread has no cell to its right


def zip_with_a_partner(out, a, b):
    i = cuda.threadIdx.x
    out[i] = a[i]
    partner = i ^ 1
    if partner >= len(out):
        partner = i
    out[partner] += b[partner]  # wrong: nothing says that the partner has stored it


def guard_one_too_far(out, a, size):
    i = cuda.threadIdx.x
    if i <= size:
        out[i] = a[i] + 10  # wrong: i may be size


def map_2d_guarding_columns(out, a, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if j < size:
        out[i, j] = a[i, j] + 10  # wrong: i is not guarded


def broadcast_in_two_steps(out, a, b, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if i < size and j < size:
        out[i, j] = a[i, 0]
    if i == 0 and j < size:
        for row in range(size):
            out[row, j] += b[0, j]  # wrong: nobody has waited for the first step


def blocks_without_guard(out, a, size):
    i = cuda.grid(1)
    out[i] = a[i] + 10  # wrong: the last block goes beyond


def blocks_2d_with_or(out, a, size):
    i, j = cuda.grid(2)
    if i < size or j < size:
        out[i, j] = a[i, j] + 10  # wrong: one index may be too large


def shared_with_two_barriers(out, a, size):
    shared = cuda.shared.array(4, cuda.float32)
    i = cuda.grid(1)
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i]
        cuda.syncthreads()  # wrong: not all threads of the block come here
        out[i] = shared[local_i] + 10
    else:
        shared[local_i] = 0
        cuda.syncthreads()


def pooling_without_barrier(out, a, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.threadIdx.x
    if i < size:
        shared[i] = a[i]
        total = shared[i]
        if i > 0:
            total += shared[i - 1]  # wrong: the other thread may be late
        if i > 1:
            total += shared[i - 2]
        out[i] = total


def dot_of_all_cells(out, a, b, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.threadIdx.x
    if i < size:
        shared[i] = a[i] * b[i]
    cuda.syncthreads()
    if i == 0:
        total = cuda.float32(0)
        for k in range(TPB):
            total += shared[k]  # wrong: nobody wrote the cells from size on
        out[0] = total


def convolution_with_a_late_halo(out, a, b, a_size, b_size):
    cells = cuda.shared.array(12, cuda.float32)
    weights = cuda.shared.array(4, cuda.float32)
    i = cuda.grid(1)
    local_i = cuda.threadIdx.x
    cells[local_i] = a[i] if i < a_size else 0
    if local_i < 4:
        weights[local_i] = b[local_i] if local_i < b_size else 0
    cuda.syncthreads()
    if local_i < 4:
        cells[local_i + TPB] = a[i + TPB] if i + TPB < a_size else 0
    if i < a_size:
        total = cuda.float32(0)
        for j in range(b_size):
            total += cells[local_i + j] * weights[j]  # wrong: the halo came later
        out[i] = total


def prefix_sum_with_one_barrier(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    i = cuda.grid(1)
    local_i = cuda.threadIdx.x
    cache[local_i] = a[i] if i < size else 0
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if local_i < half:
            cache[local_i] += cache[local_i + half]  # wrong: no barrier between rounds
        half //= 2
    if local_i == 0:
        out[cuda.blockIdx.x] = cache[0]


def axis_sum_with_some_at_the_barrier(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    local_i = cuda.threadIdx.x
    row = cuda.blockIdx.y
    cache[local_i] = a[row, local_i] if local_i < size else 0
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if local_i < half:
            cache[local_i] += cache[local_i + half]
            cuda.syncthreads()  # wrong: half of the threads do not come here
        half //= 2
    if local_i == 0:
        out[row, 0] = cache[0]


def matmul_without_second_barrier(out, a, b, size):
    a_tile = cuda.shared.array((3, 3), cuda.float32)
    b_tile = cuda.shared.array((3, 3), cuda.float32)
    i, j = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    total = cuda.float32(0)
    for start in range(0, size, 3):
        a_tile[x, y] = a[i, start + y] if i < size and start + y < size else 0
        b_tile[x, y] = b[start + x, j] if start + x < size and j < size else 0
        cuda.syncthreads()
        for k in range(3):
            total += a_tile[x, k] * b_tile[k, y]  # wrong: the next tile comes too early
    if i < size and j < size:
        out[i, j] = total


#: In the order of the puzzles, each with the kind of its fault.
MISTAKES = (
    (map_to_the_right, "oob_global"),
    (zip_with_a_partner, "race_global"),
    (guard_one_too_far, "oob_global"),
    (map_2d_guarding_columns, "oob_global"),
    (broadcast_in_two_steps, "race_global"),
    (blocks_without_guard, "oob_global"),
    (blocks_2d_with_or, "oob_global"),
    (shared_with_two_barriers, "barrier_divergence"),
    (pooling_without_barrier, "race_shared"),
    (dot_of_all_cells, "uninit_shared"),
    (convolution_with_a_late_halo, "race_shared"),
    (prefix_sum_with_one_barrier, "race_shared"),
    (axis_sum_with_some_at_the_barrier, "barrier_divergence"),
    (matmul_without_second_barrier, "race_shared"),
)

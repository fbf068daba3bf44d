"""Puzzles 8 to 11: threads of a block that read what others have written."""

from __future__ import annotations

import numpy as np

from .checking import Puzzle
from .exercise import Array, Counts, covering

SHARED = Puzzle(
    number=8,
    title="Shared",
    task=(
        "Write a[i] + 10 to out[i], using shared memory: every thread stores its cell "
        "there, waits for the block, and reads it back. (This gains nothing yet.) "
        "Blocks have four threads; the last one may have too many."
    ),
    specification=lambda a: a + 10,
    setup=lambda size: covering((4, 1), (size,), scalars=(size,)),
    sizes=((8,), (1,), (5,), (11,)),
    aim=Counts(1, 1, 1, 1),
    template="""\
TPB = 4  # threads per block; the size of a shared array must be a constant


@cuda.jit
def add_ten_shared(out, a, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i]
    cuda.syncthreads()
    # Two lines of yours.
""",
    hints=(
        "The shared array has one cell for each thread of one block: index it by "
        "local_i.",
        "Put cuda.syncthreads() where all threads of the block reach it, not inside "
        "an if.",
    ),
)


POOLING = Puzzle(
    number=9,
    title="Pooling",
    task=(
        "Write to out[i] the sum of a[i] and the two cells before it, if they exist. "
        "There is one block of eight threads, and size is at most 8. Each thread needs "
        "to read global memory only once."
    ),
    specification=lambda a: np.convolve(a, np.ones(3))[: len(a)],
    setup=lambda size: covering((8, 1), (size,), scalars=(size,)),
    sizes=((8,), (1,), (2,), (7,)),
    aim=Counts(1, 1, 2, 1),
    template="""\
TPB = 8


@cuda.jit
def sum_last_three(out, a, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About eight lines of yours.
""",
    hints=(
        "First all threads store a cell, then all wait, then all read.",
        "Index -1 is the last cell, as in Python: treat threads 0 and 1 with care.",
        "A thread does not need to read its own value again from shared memory.",
    ),
)


DOT = Puzzle(
    number=10,
    title="Dot product",
    task=(
        "Write to out[0] the sum of all a[i] * b[i]. There is one block of eight "
        "threads, and size is at most 8. A thread reads global memory twice and writes "
        "at most once. It does not matter yet how often shared memory is read."
    ),
    specification=lambda a, b: np.array([a @ b]),
    setup=lambda size: covering((8, 1), (size,), (size,), scalars=(size,)),
    sizes=((8,), (1,), (3,), (7,)),
    aim=Counts(2, 1, None, None),
    template="""\
TPB = 8


@cuda.jit
def dot(out, a, b, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About nine lines of yours.
""",
    hints=(
        "Each thread stores one product; after the barrier, one thread adds them up.",
        "Shared memory starts with garbage: add up only cells that were written.",
    ),
)


def _correlate(a: Array, b: Array) -> Array:
    padded = np.concatenate([a, np.zeros(len(b) - 1)])
    return np.correlate(padded, b, "valid")


CONVOLUTION = Puzzle(
    number=11,
    title="1D convolution",
    task=(
        "Write to out[i] the sum over j of a[i + j] * b[j], for every j below b_size "
        "for which a[i + j] exists. Blocks have eight threads; b_size is at most 4. "
        "Every thread reads global memory at most twice."
    ),
    specification=_correlate,
    setup=lambda a, b: covering((8, 1), (a,), (b,), scalars=(a, b)),
    sizes=((15, 4), (1, 1), (6, 3), (8, 2), (3, 4), (33, 3)),
    aim=Counts(2, 1, 8, 2),
    template="""\
MAX_CONV = 4
TPB = 8
TPB_MAX_CONV = TPB + MAX_CONV


@cuda.jit
def convolve(out, a, b, a_size, b_size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About seventeen lines of yours.
""",
    hints=(
        "The last threads of a block need cells that belong to the next block.",
        "Some threads can load these cells, and others can load b: each thread reads "
        "one more cell.",
        "Cells beyond the end of a can be stored as 0; then the loop needs no guard.",
    ),
)

"""Puzzles 12 to 14: sums computed by a whole block."""

from __future__ import annotations

import numpy as np

from .checking import Puzzle
from .exercise import Array, Counts, Setup, covering

_TPB = 8


def _sums_of_eight(a: Array) -> Array:
    """Sum groups of eight along the last dimension: (..., n) -> (..., ceil(n / 8))."""
    missing = -a.shape[-1] % _TPB
    padded = np.concatenate([a, np.zeros((*a.shape[:-1], missing))], axis=-1)
    return np.asarray(padded.reshape(*a.shape[:-1], -1, _TPB).sum(-1))


PREFIX_SUM = Puzzle(
    number=12,
    title="Prefix sum",
    task=(
        "Write to out[k] the sum of the eight cells of a that belong to block k; the "
        "last block may have fewer. Blocks have eight threads. Work as a parallel "
        "prefix sum does: in every round, add half of the remaining numbers to the "
        "other half, so that three rounds are enough for eight numbers."
    ),
    specification=_sums_of_eight,
    setup=lambda size: covering((_TPB, 1), (size,), scalars=(size,)),
    sizes=((8,), (1,), (15,), (37,)),
    aim=Counts(1, 1, 3, 1),
    template="""\
TPB = 8


@cuda.jit
def sum_blocks(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About twelve lines of yours.
""",
    hints=(
        "Threads past the end can store a 0; then all blocks are full.",
        "The rounds add the cell that is 4, then 2, then 1 position ahead; all "
        "threads wait between rounds.",
        "Keep the running sum in a variable: only numbers that another thread reads "
        "have to be in shared memory, and each thread's number is read in only one "
        "round.",
    ),
)

AXIS_SUM = Puzzle(
    number=13,
    title="Axis sum",
    task=(
        "Write to out[row, 0] the sum of row `row` of a. a has `size` columns, at most "
        "8. There is one block of eight threads for every row; the row's number is "
        "cuda.blockIdx.y."
    ),
    specification=_sums_of_eight,
    setup=lambda rows, size: covering((_TPB, 1), (rows, size), scalars=(size,)),
    sizes=((4, 6), (1, 1), (3, 8), (5, 7)),
    aim=Counts(1, 1, 3, 1),
    template="""\
TPB = 8


@cuda.jit
def sum_rows(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    row = cuda.blockIdx.y
    # About twelve lines of yours.
""",
    hints=("This is puzzle 12, but every block has its own row.",),
)


def _product_setup(size: int) -> Setup:
    blocks = -(-size // 3)
    return Setup(((size, size), (size, size)), (blocks, blocks), (3, 3), (size,))


MATMUL = Puzzle(
    number=14,
    title="Matrix multiply",
    task=(
        "Write the product of the matrices a and b to out; all are size by size. "
        "Blocks are three by three, and shared memory holds only one tile of that size "
        "from each matrix. First solve the case of one block, then let the tiles move "
        "along the rows of a and down the columns of b. For size 8, a thread then "
        "reads global memory six times."
    ),
    specification=lambda a, b: a @ b,
    setup=_product_setup,
    sizes=((8,), (1,), (2,), (3,), (7,)),
    aim=Counts(6, 1, 18, 6),
    template="""\
TPB = 3


@cuda.jit
def multiply(out, a, b, size):
    a_shared = cuda.shared.array((TPB, TPB), cuda.float32)
    b_shared = cuda.shared.array((TPB, TPB), cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    local_i = cuda.threadIdx.x
    local_j = cuda.threadIdx.y
    # About fourteen lines of yours.
""",
    hints=(
        "out[i, j] = sum over k of a[i, k] * b[k, j]: a tile of a has rows i, and a "
        "tile of b has columns j.",
        "A thread without a cell of out must still load cells, and wait with the "
        "others.",
        "Every tile needs two barriers: one after it is filled, and one before it is "
        "overwritten.",
    ),
)

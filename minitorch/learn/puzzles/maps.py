"""Puzzles 1 to 7: one thread for one cell, ever more ways to have too many."""

from __future__ import annotations

from .checking import Puzzle
from .exercise import Array, Counts, covering


def _add_ten(a: Array) -> Array:
    return a + 10


def _add(a: Array, b: Array) -> Array:
    return a + b


MAP = Puzzle(
    number=1,
    title="Map",
    task=(
        "Write a[i] + 10 to out[i] for every i. There is one block, with exactly one "
        "thread for each cell; the thread's number is cuda.threadIdx.x."
    ),
    specification=_add_ten,
    setup=lambda size: covering((size, 1), (size,)),
    sizes=((4,), (1,), (7,), (37,)),
    aim=Counts(1, 1),
    template="""\
@cuda.jit
def add_ten(out, a):
    i = cuda.threadIdx.x
    # One line of yours.
""",
    hints=(
        "All threads run this function; only i differs between them.",
        "A kernel returns nothing. It stores its result: out[i] = ...",
    ),
)

ZIP = Puzzle(
    number=2,
    title="Zip",
    task=(
        "Write a[i] + b[i] to out[i] for every i. Again, there is one thread for each "
        "cell, in one block."
    ),
    specification=_add,
    setup=lambda size: covering((size, 1), (size,), (size,)),
    sizes=((4,), (1,), (7,), (37,)),
    aim=Counts(2, 1),
    template="""\
@cuda.jit
def add(out, a, b):
    i = cuda.threadIdx.x
    # One line of yours.
""",
    hints=("This is like puzzle 1, with two reads instead of one.",),
)

GUARD = Puzzle(
    number=3,
    title="Guard",
    task=(
        "Write a[i] + 10 to out[i] for every i below size. The block always has eight "
        "threads, whatever the size is: the threads left over must touch nothing."
    ),
    specification=_add_ten,
    setup=lambda size: covering((8, 1), (size,), scalars=(size,)),
    sizes=((4,), (1,), (7,), (8,)),
    aim=Counts(1, 1),
    template="""\
@cuda.jit
def add_ten_guarded(out, a, size):
    i = cuda.threadIdx.x
    # Two lines of yours.
""",
    hints=(
        "An array does not protect itself: out[size] is somebody else's memory.",
        "Put the store inside an if whose condition is false for threads without a "
        "cell.",
    ),
)

MAP_2D = Puzzle(
    number=4,
    title="Map 2D",
    task=(
        "Write a[i, j] + 10 to out[i, j]; a and out are square, size by size. The "
        "block is square, too: it is three by three, and may be larger than the "
        "matrix."
    ),
    specification=_add_ten,
    setup=lambda size: covering((3, 3), (size, size), scalars=(size,)),
    sizes=((2,), (1,), (3,)),
    aim=Counts(1, 1),
    template="""\
@cuda.jit
def add_ten_2d(out, a, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    # Two lines of yours.
""",
    hints=("Both indices can be too large, so test both.",),
)

BROADCAST = Puzzle(
    number=5,
    title="Broadcast",
    task=(
        "Write a[i, 0] + b[0, j] to out[i, j]: a is a column of `size` cells, b is a "
        "row of `size` cells, and out is square. The block is three by three, and may "
        "be larger than out."
    ),
    specification=_add,
    setup=lambda size: covering((3, 3), (size, 1), (1, size), scalars=(size,)),
    sizes=((2,), (1,), (3,)),
    aim=Counts(2, 1),
    template="""\
@cuda.jit
def add_outer(out, a, b, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    # Two lines of yours.
""",
    hints=("Read only after you know that the thread has a cell.",),
)

BLOCKS = Puzzle(
    number=6,
    title="Blocks",
    task=(
        "Write a[i] + 10 to out[i] for every i below size. Blocks have four threads "
        "each. There are as many blocks as needed; the last one may have too many "
        "threads."
    ),
    specification=_add_ten,
    setup=lambda size: covering((4, 1), (size,), scalars=(size,)),
    sizes=((9,), (1,), (4,), (30,)),
    aim=Counts(1, 1),
    template="""\
@cuda.jit
def add_ten_blocks(out, a, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    # Two lines of yours.
""",
    hints=(
        "i counts the threads of all blocks: with four threads per block, block 2 "
        "begins at 8.",
        "The guard is still needed: 9 cells take 3 blocks, which have 12 threads.",
    ),
)

BLOCKS_2D = Puzzle(
    number=7,
    title="Blocks 2D",
    task=(
        "Write a[i, j] + 10 to out[i, j]; a and out are size by size. Blocks are "
        "three by three, and a square of blocks covers the matrix."
    ),
    specification=_add_ten,
    setup=lambda size: covering((3, 3), (size, size), scalars=(size,)),
    sizes=((5,), (1,), (3,), (7,)),
    aim=Counts(1, 1),
    template="""\
@cuda.jit
def add_ten_blocks_2d(out, a, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    # About three lines of yours.
""",
    hints=(
        "Compute the second index from the .y of the same three names.",
        "Combine both guards: if i < size and j < size",
    ),
)

"""The exercises of lessons 00 to 03: threads, blocks, guards, maps."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Puzzle, Setup, covering
from ..puzzles.exercise import Array, with_zeros
from .question import Question

# In every cell of out before a launch, where 0 is a right value.
_BEFORE = 99.0


def _blocks(size: int, threads: int) -> int:
    return -(-size // threads)


def _coordinates(a: Array) -> Array:
    rows, columns = np.arange(a.shape[0]), np.arange(a.shape[1])
    return 10.0 * rows[:, None] + columns


def _half(a: Array) -> Array:
    return a / 2


FIRST_CELL = Question(
    "00.1",
    50,
    "Which thread writes out[5]? What does it multiply by 10?",
    {5: "That is the thread's number; the kernel writes ten times that.",
     60: "Threads are numbered from 0, so that thread 5 is the sixth."},
)  # fmt: skip

FIRST_KERNEL = Puzzle(
    number=1,
    name="00.2",
    title="A kernel of your own",
    task="Write 3 * i + 1 to out[i]. One block, one thread for each cell.",
    specification=lambda a: np.arange(1.0, 3 * a.size + 1, 3),
    setup=lambda size: covering((size, 1), (size,)),
    sizes=((8,), (1,), (37,)),
    aim=Counts(0, 1),
    template="@cuda.jit\ndef mine(out, a):\n    i = cuda.threadIdx.x\n",
    hints=("One line: out[i] = ...",),
)

HOW_MANY_THREADS = Question(
    "01.1",
    36,
    "Multiply the threads of one block by the number of blocks.",
    {12: "That is one block. How many blocks are there?",
     10: "Multiply the two numbers of each pair: blocks and grid have two sides.",
     3: "That is the number of blocks. How many threads are in each?"},
)  # fmt: skip

WHICH_CELL = Question(
    "01.2",
    19,
    "Each block before block 2 has 8 threads. How many threads come before it?",
    {11: "The block before block 2 is block 1, but block 0 is there as well.",
     20: "Blocks and threads are both numbered from 0.",
     5: "Blocks do not count as one thread each: block 2 starts after 2 * 8 threads.",
     3: "That is the number inside the block. Every block has a thread 3."},
)  # fmt: skip

IDLE_THREADS = Question(
    "01.3",
    12,
    "How many threads are there, and how many cells?",
    {24: "That many threads do have a cell. How many do not?",
     9: "That is the column that is missing. A row is missing as well.",
     4: "That is the row that is missing. A column is missing as well.",
     13: "One thread is in the missing row and in the missing column: count it once."},
)  # fmt: skip

MANY_BLOCKS = Puzzle(
    number=2,
    name="01.4",
    title="Square, with many blocks",
    task="Write a[i] * a[i] to out[i]. Blocks of four; every thread has a cell.",
    specification=lambda a: a * a,
    setup=lambda size: covering((4, 1), (size,)),
    sizes=((12,), (4,), (40,)),
    aim=Counts(1, 1),  # a[i] * a[i] reads once: the compiler keeps the number
    template="@cuda.jit\ndef square(out, a):\n    i = ...\n",
    hints=("The number of a thread in the whole grid is cuda.grid(1).",),
)

TWO_NUMBERS = Puzzle(
    number=3,
    name="01.5",
    title="A thread with two numbers",
    task=(
        "Write 10 * row + column to out[row, column]. Blocks are 4 by 2: four threads "
        "in x, two in y. x counts columns and y rows; every thread has a cell. "
        "out holds other numbers at first."
    ),
    specification=_coordinates,
    setup=lambda x, y: covering((4, 2), (2 * y, 4 * x)),
    sizes=((2, 3), (1, 1), (3, 1)),
    aim=Counts(0, 1),
    template="@cuda.jit\ndef place(out, a):\n    column, row = ...\n",
    hints=("column = blockIdx.x * blockDim.x + threadIdx.x; row is the same with y.",),
    before=_BEFORE,
    without="grid",
    instead="Use cuda.blockIdx, cuda.blockDim and cuda.threadIdx.",
)

HOW_MANY_BLOCKS = Question(
    "02.1",
    4,
    "Blocks are launched whole. How many blocks of 256 make 1000 threads or more?",
    {3: "Three blocks are 768 threads: 232 cells would have none.",
     5: "Four blocks already have 1024 threads."},
)  # fmt: skip

LEFT_OVER = Question(
    "02.2",
    24,
    "How many threads are there in all? How many cells?",
    {232: "232 threads of the last block do have a cell. How many do not?",
     0: "1000 is not a multiple of 256, so some threads have no cell."},
)  # fmt: skip

GUARDED = Puzzle(
    number=4,
    name="02.3",
    title="Half, with a guard",
    task="Write a[i] / 2 to out[i], with as many blocks of eight as needed.",
    specification=_half,
    setup=lambda size: covering((8, 1), (size,)),
    sizes=((13,), (8,), (1,), (50,)),
    aim=Counts(1, 1),
    template="@cuda.jit\ndef half(out, a):\n    i = cuda.grid(1)\n",
    hints=("Compare i with out.size before you touch a cell.",),
)

GUARDED_TWICE = Puzzle(
    number=5,
    name="02.4",
    title="Half of a matrix",
    task="Write a[row, column] / 2 to out[row, column]. Blocks are 4 by 4.",
    specification=_half,
    setup=lambda rows, columns: covering((4, 4), (rows, columns)),
    sizes=((5, 6), (4, 4), (1, 9), (9, 1)),
    aim=Counts(1, 1),
    template="@cuda.jit\ndef half(out, a):\n    column, row = cuda.grid(2)\n",
    hints=("Both numbers need a guard: combine the comparisons with `and`.",),
)


def _eights(*shapes: tuple[int, ...]) -> Setup:
    """Return a setup with a thread per element of the first input, in blocks of 8."""
    return Setup(shapes, (_blocks(shapes[0][0], 8), 1), (8, 1))


POSITIVE_PART = Puzzle(
    number=6,
    name="03.1",
    title="Map: the positive part",
    task=(
        "Write a[i] to out[i] where a[i] is positive, else 0. Blocks of eight. out "
        "holds other numbers at first."
    ),
    specification=lambda a: np.maximum(a, 0),
    setup=lambda size: _eights((size,)),
    sizes=((13,), (8,), (1,)),
    aim=Counts(1, 1),
    template="@cuda.jit\ndef relu(out, a):\n    i = cuda.grid(1)\n",
    hints=("max(a[i], 0) works in a kernel, and so does an `if`.",),
    arrange=with_zeros,
    before=_BEFORE,
)

SCALED_SUM = Puzzle(
    number=7,
    name="03.2",
    title="Zip: twice a, plus b",
    task="Write 2 * a[i] + b[i] to out[i]. Blocks of eight.",
    specification=lambda a, b: 2 * a + b,
    setup=lambda size: _eights((size,), (size,)),
    sizes=((13,), (8,), (1,)),
    aim=Counts(2, 1),
    template="@cuda.jit\ndef scaled_sum(out, a, b):\n    i = cuda.grid(1)\n",
    hints=("All three arrays are read or written at the same i.",),
)

ROW_ADDED = Puzzle(
    number=8,
    name="03.3",
    title="A row for every row",
    task="Write a[row, column] + b[column] to out[row, column]. Blocks are 4 by 4.",
    specification=lambda a, b: a + b,
    setup=lambda rows, columns: covering((4, 4), (rows, columns), (columns,)),
    sizes=((5, 6), (3, 3), (1, 9), (9, 1)),
    aim=Counts(2, 1),
    template="@cuda.jit\ndef add_row(out, a, b):\n    column, row = cuda.grid(2)\n",
    hints=("b has only one dimension: is its index the row or the column?",),
)

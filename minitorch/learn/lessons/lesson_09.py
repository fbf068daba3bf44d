"""The exercises of lesson 09: the 32 threads of a warp."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Limit, Puzzle, Setup, covering
from ..puzzles.exercise import Array, Sizes
from .question import Question

_WARP, _ROWS, _COLUMNS = 32, 128, 16


def _move_largest(sizes: Sizes, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Move each warp's largest to another lane; make every second row negative."""
    (a,) = inputs
    rows = a.reshape(-1, _WARP)
    rows[1::2] = -np.abs(rows[1::2])
    lanes = (7 * np.arange(len(rows)) + 3) % _WARP  # odd steps reach all lanes
    rolled = [
        np.roll(row, lane - row.argmax()) for row, lane in zip(rows, lanes, strict=True)
    ]
    return (np.concatenate(rolled),)


SPLIT_WARPS = Question(
    "09.1",
    1,
    "Warp 0 has threads 0 to 31, warp 1 has threads 32 to 63.",
    {2: "All threads of warp 0 take the same path.",
     40: "That is how many threads take one of the two paths."},
)  # fmt: skip

ROUNDS_OF_A_WARP = Question(
    "09.2",
    100,
    "A warp repeats the loop as long as any of its threads does.",
    {131: "All 32 threads run the loop at the same time, not one after the other.",
     1: "That is how often 31 of the threads repeat the loop.",
     4: "That is about the mean."},
)  # fmt: skip

LARGEST_OF_A_WARP = Puzzle(
    number=26,
    name="09.3",
    title="The largest of a warp",
    task=(
        "Write the largest of the 32 numbers of each warp to out[i // 32], by shuffles "
        "and without shared memory. One block; every thread has a number."
    ),
    specification=lambda a: a.reshape(-1, _WARP).max(axis=1),
    setup=lambda warps: covering((warps * _WARP, 1), (warps * _WARP,)),
    sizes=((2,), (1,), (5,), (32,)),
    aim=Counts(1, 1),
    template="@cuda.jit\ndef largest_of_a_warp(out, a):\n    i = cuda.grid(1)\n",
    hints=("x = max(x, cuda.shfl_down_sync(-1, x, step)), step 16, 8, 4, 2, 1.",),
    arrange=_move_largest,
    limits=(
        Limit(
            "shared_load_requests",
            lambda warps: 0,
            "requests to shared memory",
            "A shuffle needs no shared memory.",
        ),
    ),
)

UNEVEN = Puzzle(
    number=27,
    name="09.4",
    title="Uneven work",
    task=(
        "a has 128 rows of 16 cells. Write to out[r] the sum of row r where r is even, "
        "and the row's first cell where it is odd. One block of 128 threads, and no "
        "warp may split."
    ),
    specification=lambda a: np.where(np.arange(_ROWS) % 2 == 0, a.sum(axis=1), a[:, 0]),
    # Other draws are other numbers.
    setup=lambda draw: Setup(((_ROWS, _COLUMNS),), (1, 1), (_ROWS, 1)),
    sizes=((1,), (2,)),
    aim=Counts(16, 1),
    template="@cuda.jit\ndef uneven(out, a):\n    t = cuda.threadIdx.x\n",
    hints=(
        "Threads 0 to 63 take rows 2 * t. Which rows are left for threads 64 to 127?",
    ),
    limits=(
        Limit(
            "divergent_branches",
            lambda draw: 0,
            "branches that split a warp",
            "Thread t need not take row t: give a whole warp rows of one kind.",
        ),
    ),
)

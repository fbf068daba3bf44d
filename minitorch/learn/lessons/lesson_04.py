"""The exercises of lesson 04: shared memory and barriers."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Puzzle, Setup
from ..puzzles.exercise import Array
from .question import Question

_BLOCK = 8


def _ring(a: Array) -> Array:
    blocks = a.reshape(-1, _BLOCK)
    return (blocks + np.roll(blocks, -1, axis=1)).reshape(-1)


def _whole_blocks(blocks: int) -> Setup:
    return Setup(((blocks * _BLOCK,),), (blocks, 1), (_BLOCK, 1))


WHICH_CELL_OF_THE_TILE = Question(
    "04.1",
    61,
    "Put t = 2 into tile[63 - t].",
    {2: "That is the cell it writes.",
     62: "The tile has cells 0 to 63: take the last one minus 2."},
)  # fmt: skip

REVERSE = Puzzle(
    number=9,
    name="04.2",
    title="Reverse each block",
    task=(
        "Write the numbers of a to out, each block of eight in reverse order, through "
        "shared memory. Every thread has a cell."
    ),
    specification=lambda a: a.reshape(-1, _BLOCK)[:, ::-1].reshape(-1),
    setup=_whole_blocks,
    sizes=((2,), (1,), (5,)),
    aim=Counts(1, 1, 1, 1),
    template=(
        "@cuda.jit\ndef reverse(out, a):\n    tile = cuda.shared.array(8, np.float32)\n"
    ),
    hints=("Write a[i] to the tile, wait for all threads, read from the other end.",),
)

RING = Puzzle(
    number=10,
    name="04.3",
    title="A ring",
    task=(
        "Thread t of a block of eight writes its own number plus that of thread t + 1. "
        "The thread after the last one is the first. Read each cell of a once."
    ),
    specification=_ring,
    setup=_whole_blocks,
    sizes=((2,), (1,), (5,)),
    aim=Counts(1, 1, 2, 1),
    template=(
        "@cuda.jit\ndef ring(out, a):\n    tile = cuda.shared.array(8, np.float32)\n"
    ),
    hints=("(t + 1) % 8 is the number of the next thread.",),
)

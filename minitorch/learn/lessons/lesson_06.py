"""The exercises of lesson 06: races."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Puzzle, covering
from ..puzzles.exercise import Array, with_zeros
from .question import Question

_BLOCK = 64


def _two_rounds(a: Array) -> Array:
    blocks = a.reshape(-1, _BLOCK)
    for _ in range(2):
        blocks = blocks + np.roll(blocks, -1, axis=1)
    return blocks.reshape(-1)


SMALLEST_COUNT = Question(
    "06.1",
    1,
    "Let all threads read before any of them writes.",
    {128: "That is the right count, but only if no thread reads an old number.",
     0: "Every thread writes the number it has read plus something.",
     4: "That would be one per warp, if warps never overlapped. They may."},
)  # fmt: skip

COUNT = Puzzle(
    number=20,
    name="06.2",
    title="Count",
    task="Write to out[0] how many cells of a are above 0. out[0] is 0 at first.",
    specification=lambda a: np.array([(a > 0).sum()]),
    setup=lambda size: covering((_BLOCK, 1), (size,)),
    sizes=((100,), (64,), (3,), (200,)),
    aim=Counts(2, 1),
    template="@cuda.jit\ndef count(out, a):\n    i = cuda.grid(1)\n",
    hints=("cuda.atomic.add(out, 0, 1), for threads that have a cell above 0.",),
    arrange=with_zeros,
)

TWO_ROUNDS = Puzzle(
    number=21,
    name="06.3",
    title="Two rounds",
    task=(
        "Do this twice: add to each cell the next cell of its block of 64; the first "
        "cell follows the last one. Work in a tile in shared memory. Every thread has "
        "a cell."
    ),
    specification=_two_rounds,
    setup=lambda blocks: covering((_BLOCK, 1), (blocks * _BLOCK,)),
    sizes=((2,), (1,), (3,)),
    aim=Counts(1, 1, None, None),
    template=(
        "@cuda.jit\ndef two_rounds(out, a):\n"
        "    tile = cuda.shared.array(64, np.float32)\n"
    ),
    hints=(
        "Read the next cell into a variable, wait for all threads, write your own "
        "cell, and wait again.",
    ),
)

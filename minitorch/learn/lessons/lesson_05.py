"""The exercises of lesson 05: reductions."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Puzzle, covering
from ..puzzles.exercise import Array, Sizes
from .question import Question

_BLOCK = 16


def _move_largest(sizes: Sizes, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Move the largest elsewhere in each draw; make every second draw negative."""
    (draw,), (a,) = sizes, inputs
    a = -np.abs(a) if draw % 2 else a
    return (np.roll(a, draw - a.argmax()),)


ROUNDS = Question(
    "05.1",
    8,
    "Halve 256 until 1 is left, and count the steps.",
    {128: "That is how many pairs the first round adds.",
     255: "That is the number of additions, but those of one round happen together.",
     9: "When one number is left, there are no more rounds."},
)  # fmt: skip

LARGEST = Puzzle(
    number=11,
    name="05.2",
    title="The largest",
    task="Write the largest of 16 numbers to out[0]. One block of 16 threads.",
    specification=lambda a: np.array([a.max()]),
    setup=lambda draw: covering((_BLOCK, 1), (_BLOCK,)),
    sizes=tuple((draw,) for draw in range(16)),
    aim=Counts(1, 1, None, None),
    template="@cuda.jit\ndef largest(out, a):\n    t = cuda.threadIdx.x\n",
    hints=("Rounds with half = 8, 4, 2, 1; max(x, y) works in a kernel.",),
    arrange=_move_largest,
)

SUMS_OF_BLOCKS = Puzzle(
    number=12,
    name="05.3",
    title="Sums of blocks",
    task=(
        "Each block of 16 threads writes the sum of its cells of a to "
        "out[cuda.blockIdx.x]. The last block may have more threads than cells."
    ),
    specification=lambda a: np.add.reduceat(a, np.arange(0, a.size, _BLOCK)),
    setup=lambda size: covering((_BLOCK, 1), (size,)),
    sizes=((40,), (16,), (1,), (33,)),
    aim=Counts(1, 1, None, None),
    template="@cuda.jit\ndef sums_of_blocks(out, a):\n    i = cuda.grid(1)\n",
    hints=("Store a[i] if i is below a.size, else 0.",),
)

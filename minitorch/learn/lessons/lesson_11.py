"""The exercises of lesson 11: what a launch can use of a card."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Puzzle, covering
from ..puzzles.exercise import with_zeros
from .question import Question

BLOCKS_THAT_FIT = Question(
    "11.1",
    3,
    "How many times do 20,480 bytes fit into 65,536?",
    {4: "Four of them need 81,920 bytes.",
     16: "That is how many warps of 32 would make 512 threads.",
     2: "That leaves room for one more."},
)  # fmt: skip

SIDE_OF_THE_ROOF = Question(
    "11.2",
    "memory",
    "Compare its operations for each byte with the card's balance.",
    {"compute": "2 operations for 12 bytes are few. How many can the card do?"},
)

FUSED = Puzzle(
    number=29,
    name="11.3",
    title="One launch instead of three",
    task=(
        "Write max(2 * a[i] + b[i], 0) to out[i], in one kernel. out holds other "
        "numbers at first."
    ),
    specification=lambda a, b: np.maximum(2 * a + b, 0),
    setup=lambda size: covering((128, 1), (size,), (size,)),
    sizes=((300,), (128,), (1,)),
    aim=Counts(2, 1),
    template="@cuda.jit\ndef fused(out, a, b):\n    i = cuda.grid(1)\n",
    hints=("Keep the intermediate result in a variable, and guard the access.",),
    arrange=with_zeros,
    before=99.0,
)

"""Owns the exercises of lesson 04: shared memory and barriers."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Setup
from ..puzzles.exercise import Array
from .question import Question
from .task import Task

_BLOCK = 8


def _reversed_blocks(a: Array) -> Array:
    return a.reshape(-1, _BLOCK)[:, ::-1].reshape(-1)


def _round_dance(a: Array) -> Array:
    blocks = a.reshape(-1, _BLOCK)
    return (blocks + np.roll(blocks, -1, axis=1)).reshape(-1)


def _whole_blocks(blocks: int) -> Setup:
    return Setup(((blocks * _BLOCK,),), (), (blocks, 1), (_BLOCK, 1))


WHICH_CELL_OF_THE_BOARD = Question(
    "04.1",
    5,
    "Put t = 2 into board[7 - t].",
    {2: "That is the cell it writes.",
     6: "The board has cells 0 to 7: the last one minus 2."},
)  # fmt: skip

REVERSE = Task(
    number=9,
    name="04.2",
    title="Reverse each block",
    task=(
        "Write to out the numbers of a, each block of eight turned round, through "
        "shared memory. No thread is left over."
    ),
    arguments=("out", "a"),
    specification=_reversed_blocks,
    setup=_whole_blocks,
    sizes=((2,), (1,), (5,)),
    aim=Counts(1, 1, 1, 1),
    template=(
        "@cuda.jit\ndef reverse(out, a):\n"
        "    board = cuda.shared.array(8, np.float32)\n"
    ),
    hints=("Put down a[i], wait for all, take from the other end.",),
)

ROUND_DANCE = Task(
    number=10,
    name="04.3",
    title="Round dance",
    task=(
        "Thread t of a block of eight writes its own number plus that of thread t + 1; "
        "next to the last thread comes the first. Read each cell of a once."
    ),
    arguments=("out", "a"),
    specification=_round_dance,
    setup=_whole_blocks,
    sizes=((2,), (1,), (5,)),
    aim=Counts(1, 1, 2, 1),
    template=(
        "@cuda.jit\ndef round_dance(out, a):\n"
        "    board = cuda.shared.array(8, np.float32)\n"
    ),
    hints=("(t + 1) % 8 is the number of the next thread.",),
)

EXERCISES = (WHICH_CELL_OF_THE_BOARD, REVERSE, ROUND_DANCE)

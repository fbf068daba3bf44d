"""Owns the exercises of lesson 14: a network that learns with the reader's kernels."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Setup
from ..puzzles.exercise import Array, Pair, with_zeros
from .question import Question
from .task import Task


def _blocks(rows: int, columns: int) -> Pair:
    return -(-columns // 8), -(-rows // 8)


def _relu_back(d: Array, x: Array) -> Array:
    return np.where(x > 0, d, 0)


def _column_sums(d: Array) -> Array:
    return np.asarray(d.sum(axis=0))


HOW_MANY = Question(
    "14.1",
    2410,
    "Each weight matrix has rows times columns numbers; add the two biases.",
    {2368: "The two biases learn as well: 32 and 10 numbers more.",
     42: "Those are the biases alone. And the two matrices?",
     4: "That is how many tensors there are. How many numbers do they hold?"},
)  # fmt: skip

FIRST_LOSS = Question(
    "14.2",
    10,
    "Who knows nothing gives each of the ten digits the same chance.",
    {2: "There are more than two digits to choose from.",
     100: "That is a percentage; the question is one in how many."},
)  # fmt: skip

RELU_BACK = Task(
    number=50,
    name="14.3",
    title="The way back of the positive part",
    task=(
        "Write d[row, column] to out[row, column] where x[row, column] is positive, "
        "else 0. Blocks are 8 by 8. out holds other numbers before."
    ),
    arguments=("out", "d", "x"),
    specification=_relu_back,
    setup=lambda rows, columns: Setup(
        ((rows, columns), (rows, columns)), (), _blocks(rows, columns), (8, 8)
    ),
    sizes=((10, 9), (8, 8), (1, 20)),
    aim=Counts(2, 1),
    template="@cuda.jit\ndef relu_back(out, d, x):\n    column, row = cuda.grid(2)\n",
    hints=("Guard both numbers, then an `if` on x[row, column].",),
    arrange=with_zeros,
    before=99.0,
)

BIAS_BACK = Task(
    number=51,
    name="14.4",
    title="The way back of a bias",
    task=(
        "A bias is added to every row, so its gradients by all rows are added. Write "
        "to out[column] the sum of d over all rows. Blocks of eight, a thread a column."
    ),
    arguments=("out", "d"),
    specification=_column_sums,
    setup=lambda rows, columns: Setup(
        ((rows, columns),), (), (-(-columns // 8), 1), (8, 1)
    ),
    sizes=((6, 10), (1, 8), (13, 1)),
    aim=Counts(6, 1),
    template="@cuda.jit\ndef bias_back(out, d):\n    column = cuda.grid(1)\n",
    hints=("A loop over d.shape[0] rows, and one write after it.",),
)

EXERCISES = (HOW_MANY, FIRST_LOSS, RELU_BACK, BIAS_BACK)

"""The exercises of lesson 14: a network that learns with the reader's kernels."""

from __future__ import annotations

import numpy as np

from ..puzzles import Counts, Puzzle, Setup, covering
from ..puzzles.exercise import Pair, with_zeros
from .question import Question


def _blocks(rows: int, columns: int) -> Pair:
    return -(-columns // 8), -(-rows // 8)


RELU = Puzzle(
    number=52,
    name="14.1",
    title="relu, forward",
    task=(
        "Write x[row, column] to out[row, column] where it is positive, else 0. Blocks "
        "are 8 by 8. out holds other numbers at first."
    ),
    specification=lambda x: np.maximum(x, 0),
    setup=lambda rows, columns: covering((8, 8), (rows, columns)),
    sizes=((10, 9), (8, 8), (1, 20)),
    aim=Counts(1, 1),
    template="@cuda.jit\ndef relu(out, x):\n    column, row = cuda.grid(2)\n",
    hints=("Guard both numbers, then max(x[row, column], 0).",),
    arrange=with_zeros,
    before=99.0,
)

RELU_BACK = Puzzle(
    number=50,
    name="14.2",
    title="relu, backward",
    task=(
        "Write d[row, column] to out[row, column] where x[row, column] is positive, "
        "else 0. Blocks are 8 by 8. out holds other numbers at first."
    ),
    specification=lambda d, x: np.where(x > 0, d, 0),
    setup=lambda rows, columns: covering((8, 8), (rows, columns), (rows, columns)),
    sizes=((10, 9), (8, 8), (1, 20)),
    aim=Counts(2, 1),
    template="@cuda.jit\ndef relu_back(out, d, x):\n    column, row = cuda.grid(2)\n",
    hints=("Guard both numbers, then an `if` on x[row, column].",),
    arrange=with_zeros,
    before=99.0,
)

# Rows, inner size and columns of a @ b; all three differ, but for one whole block.
_PRODUCTS = ((6, 5, 10), (8, 8, 8), (1, 3, 9), (9, 1, 4))

MATMUL = Puzzle(
    number=53,
    name="14.3",
    title="matmul, forward",
    task=(
        "Write the product a @ b to out: out[row, column] is the sum of a[row, k] * "
        "b[k, column] over all k. Blocks are 8 by 8."
    ),
    specification=lambda a, b: a @ b,
    setup=lambda rows, inner, columns: covering(
        (8, 8), (rows, inner), (inner, columns), cells=(rows, columns)
    ),
    sizes=_PRODUCTS,
    aim=Counts(10, 1),
    template="@cuda.jit\ndef matmul(out, a, b):\n    column, row = cuda.grid(2)\n",
    hints=(
        "A guard, total = np.float32(0), a loop over k, and one write after the loop.",
    ),
)

MATMUL_BACK_A = Puzzle(
    number=54,
    name="14.4",
    title="matmul, the gradient of a",
    task=(
        "Write d times b transposed to out: out[row, k] is the sum of d[row, j] * "
        "b[k, j] over all j. Blocks are 8 by 8."
    ),
    specification=lambda d, b: d @ b.T,
    setup=lambda rows, inner, columns: covering(
        (8, 8), (rows, columns), (inner, columns), cells=(rows, inner)
    ),
    sizes=_PRODUCTS,
    aim=Counts(20, 1),
    template="@cuda.jit\ndef matmul_back_a(out, d, b):\n    k, row = cuda.grid(2)\n",
    hints=("The loop runs over the columns of d: for j in range(d.shape[1]).",),
)

MATMUL_BACK_B = Puzzle(
    number=55,
    name="14.5",
    title="matmul, the gradient of b",
    task=(
        "Write a transposed times d to out: out[k, column] is the sum of a[i, k] * "
        "d[i, column] over all i. Blocks are 8 by 8."
    ),
    specification=lambda a, d: a.T @ d,
    setup=lambda rows, inner, columns: covering(
        (8, 8), (rows, inner), (rows, columns), cells=(inner, columns)
    ),
    sizes=_PRODUCTS,
    aim=Counts(12, 1),
    template="@cuda.jit\ndef matmul_back_b(out, a, d):\n    column, k = cuda.grid(2)\n",
    hints=("The loop runs over the rows of a and d: for i in range(a.shape[0]).",),
)

BIAS_BACK = Puzzle(
    number=51,
    name="14.6",
    title="bias, backward",
    task=(
        "A bias is added to every row, so the gradients of all rows add up. Write the "
        "sum of d over all rows to out[column]. Blocks of eight, one thread per column."
    ),
    specification=lambda d: d.sum(axis=0),
    setup=lambda rows, columns: Setup(
        ((rows, columns),), (-(-columns // 8), 1), (8, 1)
    ),
    sizes=((6, 10), (1, 8), (13, 1)),
    aim=Counts(6, 1),
    template="@cuda.jit\ndef bias_back(out, d):\n    column = cuda.grid(1)\n",
    hints=("A loop over d.shape[0] rows, and one write after the loop.",),
)

HOW_MANY = Question(
    "14.7",
    2410,
    "A weight matrix holds rows times columns numbers. Add the two biases.",
    {2368: "The two biases are trained as well: 32 and 10 more numbers.",
     42: "Those are only the biases. What about the two matrices?",
     4: "That is how many tensors there are. How many numbers do they hold?"},
)  # fmt: skip

FIRST_LOSS = Question(
    "14.8",
    10,
    "Before training, each of the ten digits is equally likely.",
    {2: "There are more than two digits to choose from.",
     100: "That is a percentage; the question asks for one in how many."},
)  # fmt: skip

"""The exercises of lesson 17: kernels behind a layer, and a table of them."""

from __future__ import annotations

import numpy as np

from ..puzzles.exercise import Array
from .question import Question
from .tensor_task import Most, TensorTask


def _standardised(x: Array) -> Array:
    centred = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True))
    return np.asarray(centred / spread)


def _rows(rows: int, columns: int) -> Array:
    """Return an array whose rows and columns all differ; some are entirely negative."""
    index = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    return np.asarray(
        np.sin(index) * (1 + index % 5) - 3 * np.cos(index[:, :1]), np.float32
    )


KERNELS_OF_A_NETWORK = Question(
    "17.1",
    5,
    "A Linear layer is a product and then a bias. The network has two of them.",
    {3: "That is one for each layer. A Linear layer does two things.",
     2: "That is one for each Linear layer. What adds the bias, and what is relu?",
     4: "The two Linear layers take four. What about relu?",
     1: "Nothing joins the layers into one kernel, unless you do (lesson 21)."},
)  # fmt: skip

PRODUCTS_THAT_RUN = Question(
    "17.2",
    32_768,
    "Four blocks of 16 by 16 threads, and each thread makes 32 products.",
    {16_384: "That is how many the result needs. Its 8 columns fill half a block.",
     8_192: "That is one block. The result has 64 rows, and a block has 16.",
     1_024: "That is the number of threads. Each of them makes 32 products."},
)  # fmt: skip

SUM_OF_THE_TABLE = Question(
    "17.3",
    4,
    "Which of the rows are things that the device did?",
    {7: "The op and its kernel show the same 3 ms, seen twice.",
     3: "The copy kept the device busy, too.",
     1: "That is the copy. What about the kernel?"},
)  # fmt: skip

STANDARDISED = TensorTask(
    "17.4",
    _standardised,
    ((_rows(6, 5),), (_rows(1, 8),), (_rows(9, 3),), (_rows(4, 4),)),
    "Begin with centred = x - x.mean(1), which keeps a column of means.",
    (
        Most(
            "launches",
            8,
            "Work on all rows at once, and compute x - x.mean(1) only once.",
        ),
    ),
)

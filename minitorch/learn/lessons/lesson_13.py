"""The exercises of lesson 13: shapes, strides and broadcasting."""

from __future__ import annotations

import numpy as np

from .function_task import FunctionTask
from .question import Question

Sizes = tuple[int, ...]


WHICH_CELL = Question(
    "13.1",
    9,
    "Two whole rows of four come before row 2. From there, count to column 1.",
    {6: "That is element [1, 2]: row first, then column.",
     7: "Rows have four elements here, not three: the shape is (3, 4).",
     8: "That is element [2, 0]: the first of its row.",
     10: "Rows and columns are counted from 0."},
)  # fmt: skip

NEW_STRIDE = Question(
    "13.2",
    0,
    "Every row must be the same three cells. How far is it from one row to the next?",
    {3: "Then row 1 would begin after the last cell.",
     1: "Then row 1 would begin at the second cell."},
)  # fmt: skip

CELL = FunctionTask(
    "13.3",
    lambda index, strides, start: (
        start + sum(i * step for i, step in zip(index, strides, strict=True))
    ),
    (
        ((1, 2), (3, 1), 0),
        ((2, 1), (1, 3), 0),
        ((2, 1), (8, 2), 8),
        ((3,), (-1,), 9),
        ((1, 0, 2), (12, 4, 1), 0),
        ((), (), 5),
    ),
    "Add index * stride of every dimension to the start.",
)

STRIDES = FunctionTask(
    "13.4",
    lambda shape: tuple(step // 8 for step in np.empty(shape).strides),
    (((2, 3),), ((3, 4),), ((5,),), ((2, 3, 4),), ((7, 1, 2, 2),)),
    "The last stride is 1. Each earlier stride is the next stride times the next size.",
)

BROADCAST = FunctionTask(
    "13.5",
    lambda one, other: np.broadcast_shapes(one, other),
    (
        ((3, 4), (3, 4)),
        ((3, 4), (1, 4)),
        ((3, 1), (1, 4)),
        ((4,), (3, 4)),
        ((5, 1, 2), (3, 1)),
        ((1, 4), (4,)),
        ((3,), (1, 3)),
    ),
    "Put 1s in front of the shorter shape. In each pair, take the size that is not 1.",
)

"""The exercises of lesson 21: memory traffic of a chain of small ops."""

from __future__ import annotations

import numpy as np

from ..puzzles.exercise import Array
from .question import Question
from .tensor_task import Most, TensorTask, waves


def _leaky(x: Array, w: Array, b: Array) -> Array:
    z = x * w + b
    return np.asarray(np.where(z > 0, z, 0.25 * z))


SECTORS_OF_ONE_KERNEL = Question(
    "21.1",
    144,
    "It reads y and b as the sum did, and writes what relu wrote.",
    {272: "Nobody has to write the sum down, or to read it again.",
     128: "That is y and the result. b is read as well.",
     208: "The sum is not read again. But it is not written, either.",
     16: "That is b alone."},
)  # fmt: skip

PASSES_THAT_REMAIN = Question(
    "21.2",
    2,
    "Which of the arrays are there before the chain, or needed after it?",
    {10: "Those are the passes of five kernels: a read and a write each.",
     5: "Numbers between two steps need not be in memory at all.",
     1: "The first array is read, and the last one is written.",
     6: "Numbers between two steps need not be in memory at all."},
)  # fmt: skip

LEAKY = TensorTask(
    "21.3",
    _leaky,
    (
        (waves(6, 4), waves(4), waves(4) + 1),
        (waves(3, 5), waves(3, 5), waves(1, 5)),
        (waves(7), waves(1) + 2, waves(7) * 3),
    ),
    "z = x * w + b; then z.relu() for what is positive, and -(-z).relu() for the rest.",
    (Most("launches", 1, "Put @fuse above the function: one kernel for all of it."),),
)

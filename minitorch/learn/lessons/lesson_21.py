"""The exercises of lesson 21: memory traffic of a chain of small ops."""

from __future__ import annotations

import numpy as np

from ..puzzles.exercise import Array
from .question import Question
from .tensor_task import Most, TensorTask


def _leaky(x: Array, w: Array, b: Array) -> Array:
    z = x * w + b
    return np.asarray(np.where(z > 0, z, 0.25 * z))


def _numbers(*shape: int) -> Array:
    index = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return np.asarray(np.cos(3 * index) + 0.5 * (index % 3) - 0.75, np.float32)


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
        (_numbers(6, 4), _numbers(4), _numbers(4) + 1),
        (_numbers(3, 5), _numbers(3, 5), _numbers(1, 5)),
        (_numbers(7), _numbers(1) + 2, _numbers(7) * 3),
    ),
    "z = x * w + b; then z.relu() for what is positive, and -(-z).relu() for the rest.",
    (Most("launches", 1, "Put @fuse above the function: one kernel for all of it."),),
)

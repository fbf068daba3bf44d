"""The exercises of lesson 20: one more parameter for an operator."""

from __future__ import annotations

from typing import Any

import numpy as np

from .question import Question
from .tensor_task import Most, TensorTask, waves


def stand_in(x: Any, weight: Any, bias: Any) -> Any:
    """Scale and shift, in place of batch norm; works for tensors and arrays."""
    return x * weight + bias


ONE_CELL = Question(
    "20.1",
    5,
    "A quarter of batch norm's 2, and three quarters of x's 6.",
    {3: "That is three quarters of 2 and a quarter of 6: the other way round.",
     8: "That is both of them in full.",
     4: "That is half of each."},
)  # fmt: skip

NORMS_OF_A_STAGE = Question(
    "20.2",
    10,
    "Each of the three blocks has one behind each convolution. Which has one more?",
    {9: "Those are the blocks' own. The shortcut of the first block has one, too.",
     3: "That is the number of blocks.",
     12: "Only the first block has a convolution in its shortcut.",
     53: "That is the whole network. `only` is about layer1."},
)  # fmt: skip

BLENDED = TensorTask(
    "20.3",
    lambda norm, x, weight, bias, lam: lam * norm(x, weight, bias) + (1 - lam) * x,
    (
        (stand_in, waves(3, 4), waves(4) + 2, waves(4), 0.25),
        (stand_in, waves(2, 4), waves(4) - 1, waves(4), 1.0),
        (stand_in, waves(2, 3), waves(3), waves(3) * 3, 0.0),
    ),
    "Call batch_norm(x, weight, bias), multiply it by lam, and add (1 - lam) * x.",
    (Most("launches", 5, "Call batch_norm only once: it takes two launches here."),),
)

GRADIENT_OF_LAM = TensorTask(
    "20.4",
    lambda gradient, x, normed: np.asarray((gradient * (normed - x)).sum()).reshape(1),
    (
        (waves(3, 4), waves(3, 4) * 2, waves(3, 4) + 1),
        (waves(5, 1), waves(5, 1) - 2, waves(5, 1) * waves(5, 1)),
    ),
    "If lam grows a little, each cell grows by (normed - x) times that. Add them up.",
    (
        Most("launches", 3, "A difference, a product and a sum are enough."),
        Most("waits", 0, "Let the sum stay on the device."),
    ),
)

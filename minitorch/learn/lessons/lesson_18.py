"""The exercises of lesson 18: asynchronous launches and hidden synchronization."""

from __future__ import annotations

import numpy as np

from ..puzzles.exercise import Array
from .question import Question
from .tensor_task import Most, TensorTask, waves


def _mean_loss(x: Array, w: Array, y: Array) -> Array:
    """Return the mean loss: x (batches, rows, inputs), y (batches, rows, 1)."""
    errors = x @ w - y
    losses = (errors * errors).mean(axis=(1, 2))
    return np.asarray(losses.mean()).reshape(1)


def _clipped(g: Array, most: float) -> Array:
    norm = np.sqrt((g * g).sum())
    return np.asarray(g * min(1.0, most / norm))


_NO_WAIT = "Let the number stay on the device: a tensor of one element is one, too."

LAUNCHED_BEFORE = Question(
    "18.1",
    3,
    "What does a launch need of the layer before: its numbers, or only their place?",
    {1: "The second launch does not need the first one's numbers, only their address.",
     2: "That is layer 1, its product and its relu. Why should layer 2 wait?",
     0: "The stream is held, not the program."},
)  # fmt: skip

WAITS_OF_A_LOOP = Question(
    "18.2",
    20,
    "Look for every place in the loop where Python needs to know a number.",
    {10: "That is one for each round. There are two such places in a round.",
     0: "Python cannot choose a branch before it knows the number.",
     30: "`loss > 0` by itself is a launch like any other. Only `if` needs its value."},
)  # fmt: skip

MEAN_LOSS = TensorTask(
    "18.3",
    _mean_loss,
    (
        (waves(4, 6, 3), waves(3, 1), waves(4, 6, 1)),
        (waves(1, 5, 2), waves(2, 1), waves(1, 5, 1)),
        (waves(7, 2, 4), waves(4, 1), waves(7, 2, 1)),
    ),
    "Add up tensors of one element, and divide the sum by the number of batches.",
    (Most("waits", 0, _NO_WAIT),),
)

CLIPPED = TensorTask(
    "18.4",
    _clipped,
    (
        (waves(6, 4), 1.0),
        (waves(6, 4), 100.0),
        (waves(3), 0.5),
        (waves(2, 2), 2.0),
    ),
    "Is there a factor that is 1 for short gradients, and shortens long ones?",
    (Most("waits", 0, "A factor of clamp(max=1.0) needs no `if`."),),
)

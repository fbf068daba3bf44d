"""The exercises of lesson 19: CUDA graphs."""

from __future__ import annotations

import numpy as np

from ..puzzles.exercise import Array
from .question import Question
from .tensor_task import Most, ReplayedTask, waves


def _momentum(w: Array, v: Array, g: Array) -> tuple[Array, Array, Array]:
    v = np.asarray(0.75 * v + g)
    return np.asarray(w - 0.5 * v), v, g


def _regression(w: Array, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Take one step of gradient descent on the mean of (x @ w - y) squared."""
    error = x @ w - y
    gradient = 2 / len(x) * (x.T @ error)
    return np.asarray(w - 0.25 * gradient), x, y


TIMES_IT_RAN = Question(
    "19.1",
    4,
    "Which of these run the step: calling it, capturing it, replaying it?",
    {5: "A capture only notes what is launched. Nothing runs.",
     3: "It also ran before the capture.",
     2: "Each replay runs all of it."},
)  # fmt: skip

NUMBER_OF_THE_CAPTURE = Question(
    "19.2",
    4,
    "When did Python look at `factor`: in the capture, or in the replays?",
    {100: "That would need Python to run the step again. A replay does not.",
     20: "That would need Python to run the step again. A replay does not.",
     2: "There are two replays.",
     8: "The capture itself does not run."},
)  # fmt: skip

MOMENTUM = ReplayedTask(
    "19.3",
    _momentum,
    (
        (waves(5), waves(5) * 2, waves(5) + 1),
        (waves(3, 4), np.zeros((3, 4), np.float32), waves(3, 4)),
    ),
    "Write into v and w: v.mul_(...), v.add_(...), w.sub_(...).",
    (Most("launches", 4, "Two are enough for v, and two for w."),),
)

REGRESSION = ReplayedTask(
    "19.4",
    _regression,
    (
        (waves(3, 1), waves(8, 3), waves(8, 1) + 2),
        (waves(2, 1), waves(5, 2), waves(5, 1)),
    ),
    "Nothing may wait, and w must be changed in place: w.sub_(...).",
    (Most("waits", 0, "Nothing in a step that is captured may wait."),),
    replays=5,
)

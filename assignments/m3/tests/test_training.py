"""The test of task 3.5: a network learns to tell points apart."""

from __future__ import annotations

import random

import pytest
from project.run_fast_tensor import train

import minitorch


@pytest.mark.task3_5
def test_training_simple() -> None:
    """Points left and right of a line: learned from 40, asked for 40 others."""
    random.seed(1)
    known, others = (minitorch.datasets["Simple"](40) for _ in range(2))
    losses: list[float] = []
    predict = train(
        known.X, known.y, epochs=30, log=lambda epoch, loss: losses.append(loss)
    )
    assert losses[-1] < losses[0], f"the loss went from {losses[0]} to {losses[-1]}"
    found = [int(p > 0.5) for p in predict(others.X)]
    right = sum(a == b for a, b in zip(found, others.y, strict=True))
    assert right >= 34, f"{right} of 40 other points right; need 34"

"""The test of task 4.5: a network of convolutions learns to read digits."""

from __future__ import annotations

import random

import pytest
from project.run_mnist_multiclass import draw, train


@pytest.mark.task4_5
def test_training_digits() -> None:
    """Two digits: learned from 20 images, asked for 20 others."""
    random.seed(1)
    labels = [i % 2 for i in range(20)]
    losses: list[float] = []
    predict = train(
        [draw(label) for label in labels],
        labels,
        classes=2,
        epochs=10,
        log=lambda epoch, loss: losses.append(loss),
    )
    assert losses[-1] < losses[0], f"the loss went from {losses[0]} to {losses[-1]}"
    found = predict([draw(label) for label in labels])
    right = sum(p.index(max(p)) == y for p, y in zip(found, labels, strict=True))
    assert right >= 16, f"{right} of 20 other images right; need 16"

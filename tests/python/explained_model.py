"""The forum's model, explained with a batch of 64 on an RTX 3090, and its neuron 3 of
row 37.
"""

from __future__ import annotations

import functools

import minitorch
from minitorch import nn


class MyModel(nn.Module):
    """The model of the question: 32 numbers, 8 neurons, 1 result."""

    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(32, 8)
        self.layer2 = nn.Linear(8, 1)

    def forward(self, x):
        """(n, 32) -> (n, 1)"""
        return self.layer2(minitorch.relu(self.layer1(x)))


def _model():
    """With numbers whose sums are exact, and easy to check by hand."""
    model = MyModel()
    cycle = (-0.5, -1.5, 1.0, 0.0, -1.0, 1.5, 0.5)
    weight = [[cycle[(j + k + 4) % 7] for k in range(32)] for j in range(8)]
    model.layer1.weight.update(minitorch.tensor(weight))
    model.layer1.bias.update(minitorch.tensor([j / 4 - 0.5 for j in range(8)]))
    model.layer2.weight.update(minitorch.ones(1, 8) / 8)
    model.layer2.bias.update(minitorch.zeros(1))
    return model


def _batch():
    cycle = (1.0, 0.0, -1.0, 0.5, -0.5)
    rows = [[cycle[(i + k + 3) % 5] for k in range(32)] for i in range(64)]
    return minitorch.tensor(rows)


@functools.cache
def explained():
    """Explain the model, once for all tests of a process."""
    before = minitorch.get_default_dtype()
    minitorch.set_default_dtype(minitorch.float32)
    try:
        return minitorch.explain(_model(), _batch(), gpu="rtx3090")
    finally:
        minitorch.set_default_dtype(before)

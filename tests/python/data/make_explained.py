"""Writes explain_mymodel.json and neuron_mymodel.json beside itself: samples to draw.

    python tests/python/data/make_explained.py

Owns what they explain: the forum's model, with a batch of 64 on an RTX 3090, and its
neuron 3 of row 37. Must not know pictures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import minitorch
from minitorch import nn
from minitorch.network.plain_data import write_json

HERE = Path(__file__).parent


class MyModel(nn.Module):
    """The model of the question: 32 numbers, 8 neurons, 1 result."""

    def __init__(self) -> None:
        super().__init__()
        self.layer1 = nn.Linear(32, 8)
        self.layer2 = nn.Linear(8, 1)

    def forward(self, x: Any) -> Any:
        """(n, 32) -> (n, 1)"""
        return self.layer2(minitorch.relu(self.layer1(x)))


def _model() -> MyModel:
    """With numbers whose sums are exact, and easy to check by hand."""
    model = MyModel()
    cycle = (-0.5, -1.5, 1.0, 0.0, -1.0, 1.5, 0.5)
    weight = [[cycle[(j + k + 4) % 7] for k in range(32)] for j in range(8)]
    model.layer1.weight.update(minitorch.tensor(weight))
    model.layer1.bias.update(minitorch.tensor([j / 4 - 0.5 for j in range(8)]))
    model.layer2.weight.update(minitorch.ones(1, 8) / 8)
    model.layer2.bias.update(minitorch.zeros(1))
    return model


def _batch() -> Any:
    cycle = (1.0, 0.0, -1.0, 0.5, -0.5)
    rows = [[cycle[(i + k + 3) % 5] for k in range(32)] for i in range(64)]
    return minitorch.tensor(rows)


def main() -> None:
    """Explain it, and write both files."""
    minitorch.set_default_dtype(minitorch.float32)
    explained = minitorch.explain(_model(), _batch(), gpu="rtx3090")
    explained.save(HERE / "explain_mymodel.json")
    neuron = explained.neuron("layer1", (37, 3))
    write_json(HERE / "neuron_mymodel.json", neuron.to_dict())


if __name__ == "__main__":
    main()

"""Measures what training keeps: growth over epochs, freed memory, a step's peak."""

from __future__ import annotations

import minitorch
from minitorch import nn

from .report import Row

_EPOCHS = 1000
_PEAK = 1.3


def _grown() -> int:
    """Bytes in use after many epochs beyond those after a few."""
    net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = minitorch.SGD(net.parameters(), lr=0.01)
    x, y = minitorch.rand(16, 8), minitorch.rand(16, 1)
    for epoch in range(_EPOCHS + 3):
        optimizer.zero_grad()
        error = net(x) - y
        (error * error).mean().backward()
        optimizer.step()
        del error
        if epoch == 2:  # gradients and the optimizer's state exist by now
            before = minitorch.memory_stats()["in_use"]
    return minitorch.memory_stats()["in_use"] - before


def _left_by_a_tensor() -> int:
    before = minitorch.memory_stats()["in_use"]
    tensor = minitorch.zeros(1000, 1000)
    view = tensor[1:].permute(1, 0)
    del tensor, view
    return minitorch.memory_stats()["in_use"] - before


def _peak_of_a_step() -> float:
    """Largest use in a step of a CNN over what must live at once."""
    batch = 64
    kind = {"dtype": "float32"}
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, **kind),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, **kind),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 7 * 7, 10, **kind),
    )
    x = minitorch.rand(batch, 1, 28, 28, dtype="float32")
    labels = minitorch.zeros(batch)
    nn.cross_entropy(net(x), labels).backward()  # the workspace that is kept
    for parameter in net.parameters():
        parameter.zero_grad()
    start = minitorch.memory_stats()["in_use"]
    minitorch.reset_peak_memory()
    nn.cross_entropy(net(x), labels).backward()
    peak = minitorch.memory_stats()["peak_in_use"] - start
    # What backward must have: the outputs of both convolutions, their ReLUs and
    # poolings, and the gradients of the first and of the widest ReLU while they meet.
    first, second = batch * 8 * 28 * 28, batch * 16 * 14 * 14
    kept = 2 * first + first // 4 + 2 * second + second // 4
    return peak / (4 * (kept + 2 * first))


def rows() -> list[Row]:
    """Bytes and ratios."""
    grown, left, peak = _grown(), _left_by_a_tensor(), _peak_of_a_step()
    return [
        Row(f"growth over {_EPOCHS} epochs", f"{grown} bytes", "0 bytes", grown <= 0),
        Row("left in use by a freed tensor", f"{left} bytes", "0 bytes", left == 0),
        Row(
            "peak of a CNN step / live tensors",
            f"{peak:.2f} x",
            f"<= {_PEAK} x",
            peak <= _PEAK,
        ),
    ]

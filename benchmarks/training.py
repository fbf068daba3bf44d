"""Measures training on `cpu` in units of a 1000x1000 float32 matmul of NumPy's.

The networks are those of MiniTorch's scripts and of the course: three layers of 100 on
points in the plane, and two convolutions with pooling on images.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

import minitorch
from minitorch import nn

from .report import Row, best_seconds

_HIDDEN, _POINTS, _BATCH = 100, 50, 10
_IMAGES, _IMAGE_BATCH = 4000, 64
_FIRST_EPOCH_SECONDS = 0.2


def _in_matmuls(epoch: Callable[[], object], rounds: int) -> float:
    left = np.random.default_rng(0).random((1000, 1000), dtype=np.float32)
    found = []
    for _ in range(rounds):
        unit = best_seconds(lambda: left @ left, 5)
        found.append(best_seconds(epoch, 3) / unit)
    return median(found)


class _Points(minitorch.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, _HIDDEN)
        self.second = nn.Linear(_HIDDEN, _HIDDEN)
        self.third = nn.Linear(_HIDDEN, 1)

    def forward(self, x: minitorch.Tensor) -> minitorch.Tensor:
        return self.third(self.second(self.first(x).relu()).relu()).sigmoid()


def _points_epoch() -> Callable[[], None]:
    generator = np.random.default_rng(0)
    points = generator.random((_POINTS, 2))
    labels = ((points[:, 0] < 0.2) | (points[:, 0] > 0.8)).astype(float)
    net = _Points()
    optimizer = minitorch.SGD(net.parameters(), lr=0.05)

    def epoch() -> None:
        for at in range(0, _POINTS, _BATCH):
            optimizer.zero_grad()
            x = minitorch.tensor(points[at : at + _BATCH])
            y = minitorch.tensor(labels[at : at + _BATCH])
            out = net(x).view(_BATCH)
            likelihood = out * y + (1 - out) * (1 - y)
            (-likelihood.log() / _BATCH).sum().view(1).backward()
            optimizer.step()

    return epoch


def _images_epoch() -> Callable[[], None]:
    generator = np.random.default_rng(0)
    images = generator.random((_IMAGES, 1, 28, 28), dtype=np.float32)
    labels = generator.integers(0, 10, _IMAGES)
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
    optimizer = minitorch.SGD(net.parameters(), lr=0.01)

    def epoch() -> None:
        for at in range(0, _IMAGES, _IMAGE_BATCH):
            optimizer.zero_grad()
            x = minitorch.tensor(images[at : at + _IMAGE_BATCH])
            y = minitorch.tensor(labels[at : at + _IMAGE_BATCH])
            nn.cross_entropy(net(x), y).backward()
            optimizer.step()

    return epoch


def _convolution() -> Callable[[], None]:
    import minitorch.functional as F

    generator = np.random.default_rng(0)
    x, w = (
        minitorch.tensor(generator.random(shape, dtype=np.float32), requires_grad=True)
        for shape in ((64, 16, 28, 28), (32, 16, 3, 3))
    )

    def step() -> None:
        x.grad = w.grad = None
        F.conv2d(x, w, padding=1).sum().backward()

    return step


def rows() -> list[Row]:
    """Time of one epoch or step of each."""
    epoch = _points_epoch()
    start = time.perf_counter()
    epoch()
    first = time.perf_counter() - start
    made = [
        Row(
            "points, hidden 100: first epoch",
            f"{first * 1000:.1f} ms",
            f"<= {_FIRST_EPOCH_SECONDS} s",
            first <= _FIRST_EPOCH_SECONDS,
        )
    ]
    for what, run, bar, rounds in (
        ("points, hidden 100: later epochs", epoch, 0.28, 15),
        ("conv2d 64x(16->32)x28x28, 3x3, both ways", _convolution(), 8.0, 5),
        ("CNN conv8-conv16-linear, 4,000 images, an epoch", _images_epoch(), 220.0, 1),
    ):
        found = _in_matmuls(run, rounds)
        text = f"{found:.2f} matmuls of 1000"
        made.append(Row(what, text, f"<= {bar}", found <= bar))
    return made

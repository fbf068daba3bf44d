"""Measures what recording costs: an op of ten numbers, a step on the emulator."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import minitorch
from minitorch import cuda, nn
from minitorch.profiler import ProfilerActivity, profile

from .report import Row, best_seconds

_CALLS, _ROUNDS = 2000, 9
_CPU = [ProfilerActivity.CPU]


def _ratio(run: Callable[[], object], repeats: int, **options: Any) -> float:
    """Time under a profile over that without, in turn: both see the same noise.

    Each round has a profile of its own, so that no record is left out for lack of room.
    """
    found = []
    for _ in range(_ROUNDS):
        off = best_seconds(run, repeats)
        with profile(**options):
            on = best_seconds(run, repeats)
        found.append(on / off)
    return median(found)


def _adds() -> Callable[[], None]:
    x = minitorch.tensor(np.arange(10, dtype=np.float32))

    def run() -> None:
        for _ in range(_CALLS):
            x + x

    return run


class _LeNet(minitorch.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2 = nn.Linear(400, 120), nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: minitorch.Tensor) -> minitorch.Tensor:
        x = self.pool(self.conv1(x).relu())
        x = self.pool(self.conv2(x).relu())
        x = self.fc1(x.view(x.shape[0], 400)).relu()
        return self.fc3(self.fc2(x).relu())


def _step() -> Callable[[], None]:
    """A step of training on 8 images, waited for."""
    former = minitorch.get_default_dtype()
    minitorch.set_default_dtype(minitorch.float32)
    net = _LeNet().to("cuda")
    optimizer = minitorch.SGD(net.parameters(), lr=0.01)
    images = minitorch.randn(8, 1, 32, 32).to("cuda")
    labels = minitorch.tensor(np.arange(8), dtype=minitorch.int64).to("cuda")
    minitorch.set_default_dtype(former)

    def run() -> None:
        optimizer.zero_grad()
        nn.cross_entropy(net(images), labels).backward()
        optimizer.step()
        cuda.synchronize()

    return run


def rows() -> list[Row]:
    adds, step = _adds(), _step()
    step()
    found = [
        (
            "add of 10 floats, CPU activity on / off",
            2.5,
            _ratio(adds, 7, activities=_CPU),
        ),
        (
            "add of 10 floats, with shapes and stack / off",
            6.0,
            _ratio(adds, 7, activities=_CPU, record_shapes=True, with_stack=True),
        ),
        ("LeNet step on cuda under profile / off", 1.15, _ratio(step, 5)),
    ]
    return [
        Row(what, f"{measured:.2f} x", f"<= {bar} x", measured <= bar)
        for what, bar, measured in found
    ]

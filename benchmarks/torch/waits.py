"""Selection and a recurrent network: what programs waited for most beside PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import minitorch.torch as mine

from .case import Case

_NUMBERS = np.random.default_rng(0).random(1_000_000, np.float32)


def _lstm_step(library: Any) -> Callable[[], object]:
    """Return a training step: batch 32, 64 steps, 64 features, 128 units."""
    library.manual_seed(0)
    lstm = library.nn.LSTM(64, 128, batch_first=True)
    optimizer = library.optim.SGD(lstm.parameters(), lr=0.01)
    x = library.randn(32, 64, 64)

    def step() -> None:
        optimizer.zero_grad()
        lstm(x)[0].square().mean().backward()
        optimizer.step()

    return step


def cases() -> Iterator[Case]:
    """Give topk and a step of an LSTM."""
    ours, theirs = mine.tensor(_NUMBERS), torch.tensor(_NUMBERS)
    yield Case("topk 100 of 1,000,000", lambda: ours.topk(100),
               lambda: theirs.topk(100), 1.2)  # fmt: skip
    yield Case("LSTM training step", _lstm_step(mine), _lstm_step(torch), 1.0)

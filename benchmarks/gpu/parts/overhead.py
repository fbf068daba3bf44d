"""Owns what a launch costs the host, for each way to launch, beside PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import minitorch
from minitorch import cuda

from ..rows import Row, row
from ..timing import host_microseconds, torch_on_card

_CALLS = 500  # fewer than what a driver queues before it waits
_EMPTY = 'extern "C" __global__ void empty(int* x, int n) {}'

Call = Callable[[], object]


def items(quick: bool) -> list[str]:
    """Ways to launch."""
    return ["RawKernel", "cuda.jit", "tensor + tensor", "PyTorch tensor + tensor"]


def _nothing(x: Any, n: Any) -> None:
    pass


def _prepared(name: str) -> tuple[Call, Call] | None:
    if name == "PyTorch tensor + tensor":
        torch: Any = torch_on_card()
        if torch is None:
            return None
        one = torch.ones(32, device="cuda")
        return lambda: one + one, torch.cuda.synchronize
    if name == "tensor + tensor":
        ours = minitorch.tensor(np.ones(32, np.float32), device="cuda")
        return lambda: ours + ours, cuda.synchronize
    x = cuda.to_device(np.zeros(32, np.int32))
    if name == "RawKernel":
        raw = cuda.RawKernel(_EMPTY, "empty")
        return lambda: raw(1, 32, (x, 32)), cuda.synchronize
    jitted: Any = cuda.jit(_nothing)[1, 32]
    return lambda: jitted(x, 32), cuda.synchronize


def measure(name: str, folder: Path) -> Row:
    """Time one way."""
    prepared = _prepared(name)
    if prepared is None:
        return row(name, "skipped", "PyTorch with a card is not here")
    run, wait = prepared
    run()
    queued = host_microseconds(run, wait, _CALLS)
    waited = host_microseconds(lambda: (run(), wait()), wait, _CALLS // 5)
    return row(name, "ok", queued_us=round(queued, 2), waited_us=round(waited, 2))

"""Owns timing work on the card with events, and on the host with its clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from minitorch import cuda

_ROUNDS = 5


def card_milliseconds(run: Callable[[], object], seconds: float = 0.2) -> float:
    """Milliseconds of one call of `run` on the card, in a queue of many.

    The median of five rounds, each as long as `seconds` allows.
    """
    run()
    cuda.synchronize()
    begin = time.perf_counter()
    run()
    cuda.synchronize()
    once = max(time.perf_counter() - begin, 1e-6)
    calls = max(1, min(1000, int(seconds / _ROUNDS / once)))
    rounds = []
    for _ in range(_ROUNDS):
        start, end = cuda.Event(), cuda.Event()
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        rounds.append(start.elapsed_time(end) / calls)
    return median(rounds)


def host_microseconds(
    run: Callable[[], object], wait: Callable[[], object], calls: int
) -> float:
    """Microseconds of the host for one call of `run` that only queues work.

    The median of five rounds; `wait` between them is not counted.
    """
    rounds = []
    for _ in range(_ROUNDS):
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            run()
        rounds.append((time.perf_counter() - begin) / calls * 1e6)
    wait()
    return median(rounds)


def torch_on_card() -> object | None:
    """PyTorch, if it is installed and sees a card; None otherwise."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None

"""What a case is and how the two sides take turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

_TURNS = 25
_LEAST_SECONDS = 2e-3  # of one timing, so that the clock's steps do not count
_MOST_SECONDS = 4.0  # of a case: slow ones get fewer turns


@dataclass(frozen=True)
class Case:
    """The same work done by both libraries.

    Args:
        what: A few words, with the size and the dtype.
        ours: One run of it here.
        theirs: One run of it in PyTorch.
        bar: The most that `ours` may take, in times of `theirs`; None: only recorded.
    """

    what: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    bar: float | None


@dataclass(frozen=True)
class Times:
    """Seconds of one run of each side."""

    ours: float
    theirs: float


def _seconds(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def _calls(call: Callable[[], object]) -> int:
    call()  # the first one may compile, allocate or start threads
    return max(1, round(_LEAST_SECONDS / _seconds(call, 3)))


def measure(case: Case) -> Times:
    """The shortest of many timings of each side, in turn: noise only ever adds time."""
    ours, theirs = _calls(case.ours), _calls(case.theirs)
    best = Times(float("inf"), float("inf"))
    start = time.perf_counter()
    for turn in range(_TURNS):
        best = Times(
            min(best.ours, _seconds(case.ours, ours)),
            min(best.theirs, _seconds(case.theirs, theirs)),
        )
        if turn >= 2 and time.perf_counter() - start > _MOST_SECONDS:
            break
    return best

"""Measures tensor ops on `cpu` against NumPy, in turn: both see the same noise."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import numpy as np

import minitorch

from .report import Row, best_seconds

_CALLS = 2000  # of a small op, so that the clock's steps do not count


def ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """Time of `ours` over that of `theirs`."""
    found = []
    for _ in range(9):
        found.append(best_seconds(ours, 7) / best_seconds(theirs, 7))
    return median(found)


def _repeated(call: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(_CALLS):
            call()

    return run


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape, dtype=np.float32)


def rows() -> list[Row]:
    """The rows of elementwise ops and reductions."""
    small, whole, row = _numbers(10), _numbers(1000, 1000), _numbers(1000)
    second = whole.copy()  # read from memory of its own, as `other` is
    x = minitorch.tensor(small, requires_grad=True)
    y, a, r = (minitorch.tensor(array) for array in (small, whole, row))
    turned, other = a.permute(1, 0), minitorch.tensor(whole)
    pairs = [
        ("a + b, 10 float32, recorded", _repeated(lambda: x + y),
         _repeated(lambda: small + small), 5.0),
        ("a + b, 1e6 float32", lambda: a + other, lambda: whole + second, 0.55),
        ("exp, 1e6 float32", a.exp, lambda: np.exp(whole), 0.45),
        ("sum over dim 1 of 1000x1000", lambda: a.sum(1), lambda: whole.sum(1), 0.3),
        ("sum over dim 0 of 1000x1000", lambda: a.sum(0), lambda: whole.sum(0), 0.4),
        ("transposed copy of 1000x1000", turned.contiguous,
         lambda: np.ascontiguousarray(whole.T), 1.0),
        ("broadcast add, 1000x1000 + 1000", lambda: a + r, lambda: whole + row, 0.55),
    ]  # fmt: skip
    made = []
    for what, ours, theirs, bar in pairs:
        found = ratio(ours, theirs)
        made.append(
            Row(f"{what} / NumPy", f"{found:.2f} x", f"<= {bar} x", found <= bar)
        )
    return made

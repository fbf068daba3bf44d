"""Measures `a @ b` on `cpu` against NumPy, in turn, so that both see the same noise."""

from __future__ import annotations

from statistics import median

import numpy as np

import minitorch

from .report import Row, best_seconds


def _ratio(n: int) -> float:
    generator = np.random.default_rng(0)
    left, right = (generator.random((n, n), dtype=np.float32) for _ in range(2))
    a, b = (minitorch.tensor(x, dtype="float32") for x in (left, right))
    ratios = []
    for _ in range(9):
        ours = best_seconds(lambda: a @ b, 5)
        ratios.append(ours / best_seconds(lambda: left @ right, 5))
    return median(ratios)


def rows() -> list[Row]:
    return [
        Row(f"matmul {n} on cpu / NumPy", f"{ratio:.2f} x", "<= 1.1 x", ratio <= 1.1)
        for n in (512, 1024)
        for ratio in [_ratio(n)]
    ]

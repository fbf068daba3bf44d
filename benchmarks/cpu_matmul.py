"""Measures `a @ b` on `cpu` against NumPy, in turn, so that both see the same noise."""

from __future__ import annotations

import numpy as np

import minitorch

from .cpu_tensors import ratio
from .report import Row

_BAR = 1.1


def _ratio(n: int, dtype: str) -> float:
    generator = np.random.default_rng(0)
    left, right = (generator.random((n, n)).astype(dtype) for _ in range(2))
    a, b = minitorch.tensor(left), minitorch.tensor(right)
    return ratio(lambda: a @ b, lambda: left @ right)


def rows() -> list[Row]:
    """Square products of both floating dtypes."""
    return [
        Row(
            f"matmul {n}, {dtype} / NumPy",
            f"{found:.2f} x",
            f"<= {_BAR} x",
            found <= _BAR,
        )
        for n in (512, 1000, 1024)
        for dtype in ("float32", "float64")
        for found in [_ratio(n, dtype)]
    ]

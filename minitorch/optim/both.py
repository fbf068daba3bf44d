"""Owns the functions that formulas of tensors and of Scalars' numbers share."""

from __future__ import annotations

import math
from typing import Any

from .._core import Tensor
from ..tensors.create_ranges import zeros_like


def root(a: Any) -> Any:
    """The square root."""
    return Tensor.sqrt(a) if isinstance(a, Tensor) else math.sqrt(a)


def larger(a: Any, b: Any) -> Any:
    """The larger one, cell by cell."""
    return Tensor.maximum(a, b) if isinstance(a, Tensor) else max(a, b)


def size_of(a: Any) -> Any:
    """|a|."""
    return Tensor.abs(a) if isinstance(a, Tensor) else abs(a)


def zero_like(a: Any) -> Any:
    """0, as many as `a` has cells."""
    return zeros_like(a) if isinstance(a, Tensor) else 0.0


def filled_like(a: Any, number: float) -> Any:
    """A number, as often as `a` has cells."""
    return zeros_like(a) + number if isinstance(a, Tensor) else number


def direction(a: Any) -> Any:
    """1, 0 or -1, as `a` is above, at or below 0."""
    return Tensor.sign(a) if isinstance(a, Tensor) else float((a > 0) - (a < 0))


def within(a: Any, low: float, high: float) -> Any:
    """The nearest number from `low` to `high`."""
    if isinstance(a, Tensor):
        return Tensor.minimum(Tensor.maximum(a, low), high)
    return min(max(a, low), high)

"""Owns how parameters start: constant, uniform or normal. Knows no layers."""

from __future__ import annotations

import math
from typing import Any

from .._core import FitError
from ..module import Parameter
from ..tensors.create import full, rand, randn


def uniform(shape: tuple[int, ...], bound: float, dtype: Any, device: str) -> Parameter:
    """Uniform in ±bound."""
    unit = rand(*shape, dtype=dtype, device=device)
    return Parameter((unit * (2 * bound) - bound).detach())


def normal(shape: tuple[int, ...], dtype: Any, device: str) -> Parameter:
    """Normal with mean 0 and variance 1."""
    return Parameter(randn(*shape, dtype=dtype, device=device))


def constant(
    shape: tuple[int, ...], value: float, dtype: Any, device: str
) -> Parameter:
    """One value everywhere."""
    return Parameter(full(shape, value, dtype=dtype, device=device))


def fan_in_bound(fan_in: int) -> float:
    """The bound of weights and biases whose outputs have `fan_in` inputs each.

    sqrt(6 / ((1 + a²) fan_in)) with a = sqrt(5), which is 1 / sqrt(fan_in): He et al.,
    "Delving deep into rectifiers" (2015), with the slope that PyTorch's layers take.
    """
    return 1 / math.sqrt(fan_in) if fan_in else 0.0


def balanced_bound(fan_in: int, fan_out: int) -> float:
    """sqrt(6 / (fan_in + fan_out)): Glorot and Bengio (2010), formula 16."""
    return math.sqrt(6 / (fan_in + fan_out))


def require_sizes(where: str, **sizes: int) -> None:
    """A ValueError, also a RuntimeError, unless each is an integer from 1."""
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise FitError(f"[{where}] got {name} {size!r}; need 1 or more.")

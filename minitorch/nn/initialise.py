"""Default initialization of parameters: constant or uniform."""

from __future__ import annotations

import math
from typing import Any

from .._core import FitError
from ..functional.arguments import as_integer
from ..module import Parameter
from ..tensors.create import full, rand


def uniform(shape: tuple[int, ...], bound: float, dtype: Any, device: str) -> Parameter:
    """Return a parameter drawn uniformly from ±bound."""
    unit = rand(*shape, dtype=dtype, device=device)
    return Parameter((unit * (2 * bound) - bound).detach())


def constant(
    shape: tuple[int, ...], value: float, dtype: Any, device: str
) -> Parameter:
    """Return a parameter filled with one value."""
    return Parameter(full(shape, value, dtype=dtype, device=device))


def fan_in_bound(fan_in: int) -> float:
    """Return the bound of weights and biases whose outputs have `fan_in` inputs each.

    sqrt(6 / ((1 + a²) fan_in)) with a = sqrt(5), which is 1 / sqrt(fan_in): He et al.,
    "Delving deep into rectifiers" (2015), with the slope that PyTorch's layers take.
    """
    return 1 / math.sqrt(fan_in) if fan_in else 0.0


def balanced_bound(fan_in: int, fan_out: int) -> float:
    """Return sqrt(6 / (fan_in + fan_out)): Glorot and Bengio (2010), formula 16."""
    return math.sqrt(6 / (fan_in + fan_out))


def as_sizes(where: str, *, least: int = 1, **sizes: Any) -> list[int]:
    """Return the sizes as integers, in their order.

    Raises:
        TypeError: One is not an integer.
        ValueError: One is below `least`. It is a RuntimeError as well.
    """
    integers = [as_integer(where, name, size) for name, size in sizes.items()]
    for name, size in zip(sizes, integers, strict=True):
        if size < least:
            raise FitError(f"[{where}] got {name} {size}; need at least {least}.")
    return integers

"""Compare tensors' gradients with central differences."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor
from ..tensors.tensor_backend import with_backend


def grad_central_difference(
    f: Callable[..., Tensor],
    *vals: Tensor,
    arg: int = 0,
    epsilon: float = 1e-6,
    ind: Sequence[int],
) -> float:
    """Return the derivative of the sum of `f` with respect to one element: (f(x + ε) -
    f(x - ε)) / 2ε.

    Args:
        f: A function of tensors.
        vals: Where to take the derivative.
        arg: Which argument to vary.
        epsilon: ε.
        ind: Which element of it.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0])
        >>> round(grad_central_difference(lambda a: a * a, x, ind=(0,)), 5)
        6.0
    """
    left, right = _one_sided(f, vals, arg, epsilon, ind)
    return (left + right) / 2


def _one_sided(
    f: Callable[..., Tensor],
    vals: Sequence[Tensor],
    arg: int,
    epsilon: float,
    ind: Sequence[int],
) -> tuple[float, float]:
    """Return the differences (f(x) - f(x - ε)) / ε and (f(x + ε) - f(x)) / ε."""
    x = vals[arg]
    step = np.zeros(x.shape, dtype=x.dtype.dtype)
    step[tuple(ind)] = epsilon
    up = with_backend(_core.from_numpy(step)._to_device(x.device), x._backend())
    below, here, above = (
        f(*(moved if i == arg else v for i, v in enumerate(vals))).sum()
        for moved in (x - up, x, x + up)
    )
    return (
        float((here - below).item()) / epsilon,
        float((above - here).item()) / epsilon,
    )


def _is_close(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-2 * (1 + abs(b))


def grad_check(f: Callable[..., Any], *vals: Tensor) -> None:
    """Compare the gradient of `f` with central differences at random elements.

    Where `f` jumps or bends there is no derivative, and nothing is compared.

    Args:
        f: A function of tensors.
        vals: Tensors, which become leaves that collect a gradient.

    Raises:
        AssertionError: A derivative differs from the central difference by more than
            one percent; the message says where.

    Example:
        >>> import minitorch
        >>> grad_check(lambda a, b: a * b, minitorch.rand(2, 3), minitorch.rand(3))
    """
    for x in vals:
        x.requires_grad_(True)
        x.zero_grad_()
    random.seed(10)
    f(*vals).sum().backward()
    for i, x in enumerate(vals):
        ind = tuple(random.randint(0, size - 1) for size in x.shape)
        left, right = _one_sided(f, vals, i, 1e-6, ind)
        expected = (left + right) / 2
        assert x.grad is not None, f"argument {i} got no gradient"
        derivative = float(x.grad[ind])
        if not _is_close(derivative, expected) and _is_close(left, right):
            raise AssertionError(
                f"derivative of {f} with respect to element {ind} of argument {i} is "
                f"{derivative}, but the central difference is {expected}, for {vals}"
            )

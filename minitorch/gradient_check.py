"""Owns the comparison of tensors' gradients with central differences."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from .tensor import Tensor
from .tensor_backend import with_backend


def grad_central_difference(
    f: Callable[..., Tensor],
    *vals: Tensor,
    arg: int = 0,
    epsilon: float = 1e-6,
    ind: Sequence[int],
) -> float:
    """The derivative of the sum of `f` by one element: (f(x + ε) - f(x - ε)) / 2ε.

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
    x = vals[arg]
    step = np.zeros(x.shape, dtype=x.dtype.dtype)
    step[tuple(ind)] = epsilon
    up = with_backend(_core.from_numpy(step)._to_device(x.device), x._backend())
    sums = [
        f(*(moved if i == arg else v for i, v in enumerate(vals))).sum()
        for moved in (x + up, x - up)
    ]
    return float((sums[0] - sums[1]).item()) / (2.0 * epsilon)


def grad_check(f: Callable[..., Any], *vals: Tensor) -> None:
    """Compares the gradient of `f` by one random element of each argument.

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
        expected = grad_central_difference(f, *vals, arg=i, ind=ind)
        assert x.grad is not None, f"argument {i} got no gradient"
        found = float(x.grad[ind])
        both_nan = math.isnan(found) and math.isnan(expected)
        if not both_nan and not abs(found - expected) <= 1e-2 * (1 + abs(expected)):
            raise AssertionError(
                f"gradient of {f} by element {ind} of argument {i} is {found}, the "
                f"central difference {expected}, for {vals}"
            )

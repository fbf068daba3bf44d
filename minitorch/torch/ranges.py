"""Ranges, identity, triangular indices, and constructors by dtype."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np

from .. import _core
from . import dtypes
from .create import TensorOptions, empty, tensor
from .dtypes import get_default_dtype, int64
from .tensor import METHODS, Size, Tensor, sizes_of

__all__ = ["arange", "eye", "linspace"]

_EXACT = 2**53  # up to here floats are integers, too


def _number(where: str, name: str, value: Any) -> Any:
    """Return a finite number, also from a tensor of one element."""
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool):
        number = int(number)
    if not isinstance(number, int | float):
        raise TypeError(f"[{where}] got {name} {value!r}; need a number.")
    if not math.isfinite(number):
        raise RuntimeError(f"[{where}] got {name} {number}; need a finite number.")
    return number


def arange(start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """Return start, start + step, … before `end`; int64 if all three are integers.

    `arange(end)`, `arange(start, end, step=1)`.

    Args:
        start, end, step: The numbers.
        dtype, device, requires_grad, out: As of all functions that make tensors.

    Returns:
        Shape (ceil((end - start) / step),).

    Raises:
        RuntimeError: `step` is 0, or leads away from `end`.
        TypeError: Something is not a number.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.arange(5)
        tensor([0, 1, 2, 3, 4])
        >>> torch.arange(0, 1, 0.25)
        tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """
    if end is None:
        start, end = 0, start
    ends = start, end, step
    start, end, step = map(_number, ("arange",) * 3, ("start", "end", "step"), ends)
    if step == 0:
        raise RuntimeError("[arange] step must not be 0.")
    if (end - start) * step < 0:
        raise RuntimeError(
            f"[arange] step {step} does not lead from {start} to {end}. Try "
            f"step={-step}."
        )
    wanted = TensorOptions("arange", options)
    integral = all(isinstance(number, int) for number in (start, end, step))
    size = -((start - end) // step) if integral else math.ceil((end - start) / step)
    (count,) = sizes_of("arange", (int(size),))
    dtype = wanted.dtype or (int64 if integral else get_default_dtype())
    exact = dtype
    if not integral:
        exact = _core.float64  # type: ignore[assignment]
        if not dtype.is_floating_point:
            start, step, exact = int(start), int(step), int64
    result = _core.arange(start, step, count, exact, wanted.device)
    return wanted.finish(result._cast(dtype))


def _spaced(where: str, start: Any, end: Any, steps: Any) -> Any:
    """Return `steps` equidistant numbers, rounded as PyTorch does."""
    first = float(_number(where, "start", start))
    last = float(_number(where, "end", end))
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"[{where}] got steps {steps!r}; need an integer.")
    (count,) = sizes_of(where, (steps,))
    by = (last - first) / (count - 1) if count > 1 else 0.0
    i = np.arange(count, dtype=np.float64)
    return (
        np.where(i < count // 2, first + by * i, last - by * (count - 1 - i))
        if (count > 1)
        else np.full(count, first)
    )


def linspace(start: Any, end: Any, steps: int, **options: Any) -> Tensor:
    """Return `steps` equidistant numbers from `start` to `end`, both included.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    wanted = TensorOptions("linspace", options)
    row = _spaced("linspace", start, end, steps)
    result = _core.from_numpy(row)._to_device(wanted.device)
    return wanted.finish(result._cast(wanted.real()))


def eye(n: int, m: int | None = None, **options: Any) -> Tensor:
    """Return ones on the diagonal, zeros elsewhere: (n, m), square by default.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    wanted = TensorOptions("eye", options)
    rows, columns = sizes_of("eye", (n, n if m is None else m))
    # The result first: what has no room should say so before anything is computed.
    _core.empty((rows, columns), wanted.real(), wanted.device)
    down = _core.arange(0, 1, rows, _core.int64, wanted.device).unsqueeze(1)
    across = _core.arange(0, 1, columns, _core.int64, wanted.device)
    return wanted.finish(down.eq(across)._cast(wanted.real()))


def _constructed(of: dtypes.dtype, given: tuple[Any, ...], device: Any) -> Tensor:
    if len(given) == 1:
        data = given[0]
        if isinstance(data, Size):
            return empty(tuple(data), dtype=of, device=device)
        if isinstance(data, _core.Tensor):
            return data.detach()  # type: ignore[return-value]
        if isinstance(data, bool) or not isinstance(data, Integral):
            if not hasattr(data, "__len__"):
                raise TypeError(f"[Tensor] got {data!r}; need sizes or a list.")
            return tensor(data, dtype=of, device=device)
    return empty(*(given or (0,)), dtype=of, device=device)


def construct(cls: type[Tensor], *given: Any, device: Any = None) -> Any:
    """Implement `torch.Tensor(2, 3)`, uninitialized, and `torch.Tensor([1, 2])`."""
    result = _constructed(get_default_dtype(), given, device)
    return result if cls is Tensor else result._as_instance(cls)


METHODS |= {
    "__new__": staticmethod(construct),
    "__init__": lambda input, *args, **options: None,
}

"""Create tensors by a rule: `arange`, `linspace`, `eye`, `randint`, `zeros_like`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from .create import (
    device_of_new,
    dtype_of,
    empty,
    finish,
    full,
    ones,
    rand,
    randn,
    zeros,
)
from .tensor_layout import sizes_of

_INT64 = range(-(2**63), 2**63)


def _number(value: Any, where: str, name: str) -> int | float:
    if isinstance(value, int) and value not in _INT64:
        raise ValueError(f"[{where}] {name} {value} does not fit in a 64-bit integer.")
    if hasattr(value, "__index__"):
        return int(value.__index__())
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"[{where}] got {name} {value!r}; need a number.") from None
    if not math.isfinite(number):
        raise ValueError(f"[{where}] got {name} {number}; need a finite number.")
    return number


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return start, start + step, … before `stop`; from 0 if only one number is given.

    Args:
        start: The first number, or where to stop if there is no `stop`.
        stop: The end, which is not part of the result.
        step: The distance, of either sign.
        dtype: By default the default dtype.
        device: "cpu" or "cuda".
        requires_grad: Collect a gradient in `.grad`.

    Returns:
        Shape (ceil((stop - start) / step),), or (0,) where that is negative.

    Raises:
        ValueError: `step` is 0, or a number is not finite.

    Example:
        >>> arange(3)
        tensor([0., 1., 2.])
        >>> arange(5, 0, -2)
        tensor([5., 3., 1.])
    """
    if stop is None:
        start, stop = 0, start
        if not hasattr(stop, "__index__"):
            raise TypeError(f"[shape] got {stop!r}; need an integer.")
        if stop < 0:
            raise ValueError(f"[shape] got shape ({stop},); need sizes of 0 or more.")
        sizes_of((stop,))
    first = _number(start, "arange", "start")
    last = _number(stop, "arange", "stop")
    by = _number(step, "arange", "step")
    if by == 0:
        raise ValueError("[arange] step must not be 0.")
    integers = all(isinstance(number, int) for number in (first, last, by))
    # In integers where they are integers: division would round large ones.
    count = max(
        0, -((first - last) // by) if integers else math.ceil((last - first) / by)
    )
    wanted = dtype_of(dtype)
    (size,) = sizes_of((int(count),))
    exact = wanted if integers or wanted.is_floating_point else _core.float64
    result = _core.arange(first, by, size, exact, device_of_new(device))
    return finish(result._cast(wanted), requires_grad)


def linspace(
    start: float,
    stop: float,
    count: int,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return `count` numbers from `start` to `stop`, both included, equally spaced.

    Raises:
        ValueError: `count` is negative, or a number is not finite.

    Example:
        >>> linspace(0, 1, 5)
        tensor([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    first = float(_number(start, "linspace", "start"))
    last = float(_number(stop, "linspace", "stop"))
    (size,) = sizes_of((count,))
    by = (last - first) / (size - 1) if size > 1 else 0.0
    result = _core.arange(first, by, size, _core.float64, device_of_new(device))
    if size > 1:
        result._slice(0, size - 1, size, 1).fill_(last)  # not a rounding away from it
    wanted = dtype_of(dtype)
    return finish(result._cast(wanted), requires_grad)


def eye(
    rows: int,
    columns: int | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """1 on the diagonal, 0 elsewhere: (rows, columns), square by default.

    Example:
        >>> eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    n, m = sizes_of((rows, rows if columns is None else columns))
    down = arange(n, dtype="int64", device=device).reshape(n, 1)
    across = arange(m, dtype="int64", device=device)
    wanted = dtype_of(dtype)
    return finish(down.eq(across)._cast(wanted), requires_grad)


def randint(
    low: int,
    high: int | None = None,
    shape: Any = (),
    dtype: Any = "int64",
    device: str | None = None,
) -> Tensor:
    """Random integers, each of low, …, high - 1 equally likely; from 0 without `high`.

    Raises:
        ValueError: There is no integer between, or more than 2**53 of them.

    Example:
        >>> sorted(set(randint(1, 7, (100,)).numpy().tolist()))
        [1, 2, 3, 4, 5, 6]
    """
    if high is None:
        low, high = 0, low
    first, end = (
        int(_number(low, "randint", "low")),
        int(_number(high, "randint", "high")),
    )
    if not 0 < end - first <= 2**53:
        raise ValueError(
            f"[randint] got low {first} and high {end}; need low < high, at most 2**53 "
            "apart."
        )
    unit = rand(*sizes_of((shape,)), dtype="float64", device=device)
    return ((unit * (end - first))._cast(_core.int64) + first)._cast(
        _core.as_dtype(dtype)
    )


def _like(t: Tensor, dtype: Any, device: str | None) -> dict[str, Any]:
    if not isinstance(t, Tensor):
        raise TypeError(
            f"[like] got {type(t).__name__}; need a Tensor. Try minitorch.tensor(...), "
            "or .value of a Parameter."
        )
    return {"dtype": dtype or t.dtype, "device": device or t.device}


_Create = Callable[..., Tensor]


def _like_function(make: _Create) -> _Create:
    """Return a function that creates a tensor like another."""

    def create(
        t: Tensor,
        dtype: Any = None,
        device: str | None = None,
        requires_grad: bool = False,
    ) -> Tensor:
        like = _like(t, dtype, device)
        return make(t.shape, **like, requires_grad=requires_grad)

    create.__name__ = create.__qualname__ = name = f"{make.__name__}_like"
    create.__doc__ = f"""Return `{make.__name__}` of the shape, dtype and device of `t`.

    Another dtype or device may be named.

    Example:
        >>> {name}(eye(2)).shape
        (2, 2)
    """
    return create


empty_like: _Create = _like_function(empty)
ones_like: _Create = _like_function(ones)
rand_like: _Create = _like_function(rand)
randn_like: _Create = _like_function(randn)
zeros_like: _Create = _like_function(zeros)


def full_like(
    t: Tensor,
    value: float,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return `full` of the shape, dtype and device of `t`, unless another is named.

    Example:
        >>> full_like(eye(2), 7)
        tensor([[7., 7.],
                [7., 7.]])
    """
    like = _like(t, dtype, device)
    return full(t.shape, value, **like, requires_grad=requires_grad)

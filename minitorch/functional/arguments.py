"""Checks and conversions of arguments: integers, probabilities, tensors, sizes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from numbers import Real
from typing import Any

from .._core import FitError, Tensor


def as_integer(where: str, name: str, value: Any) -> int:
    """Return the argument called `name` as an int: NumPy's integers are integers.

    Raises:
        TypeError: It is none. Truth values are none either, as in PyTorch.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(f"[{where}] got {name} {value!r}; need an integer.") from None


def as_dim(where: str, dim: Any, ndim: int) -> int:
    """Return a dimension as a non-negative index; 0 and -1 are valid for a scalar.

    Raises:
        TypeError: It is not an integer.
        IndexError: There is none of this number.
    """
    index = as_integer(where, "dim", dim)
    dims = max(ndim, 1)
    if not -dims <= index < dims:
        raise IndexError(
            f"[{where}] got dim {index}; need {-dims} to {dims - 1} for {ndim} "
            f"dimension{'s' * (ndim != 1)}."
        )
    return index % dims


def as_dims(where: str, dims: Any, ndim: int) -> list[int]:
    """Return one dimension or several as non-negative indices, all different."""
    listed = list(dims) if isinstance(dims, Sequence) else [dims]
    result = [as_dim(where, dim, ndim) for dim in listed]
    if len(set(result)) != len(result):
        raise FitError(
            f"[{where}] got dims {tuple(listed)}; each dimension may appear only once."
        )
    return result


def require_probability(where: str, p: Any) -> None:
    """Raise TypeError unless `p` is a number, ValueError unless it is 0 to 1."""
    if not isinstance(p, Real):
        raise TypeError(
            f"[{where}] got a probability of type {type(p).__name__}; need a number."
        )
    if not 0 <= float(p) <= 1:
        raise FitError(f"[{where}] got probability {p}; need a number from 0 to 1.")


def require_tensors(where: str, *needed: Any, optional: tuple[Any, ...] = ()) -> None:
    """Raise TypeError unless all are tensors; the optional ones may be None."""
    for value in (*needed, *(v for v in optional if v is not None)):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"[{where}] got {type(value).__name__}; need a Tensor. Try "
                "minitorch.tensor(...), or .value of a Parameter."
            )


Sizes = int | Sequence[int]


def one(value: Any, name: str, where: str) -> int:
    """Return the integer in `value`, which may be a sequence of one."""
    (number,) = several(value, 1, name, where)
    return number


def pair(value: Any, name: str, where: str) -> tuple[int, int]:
    """Return (rows, columns) from one number for both, or from two."""
    rows, columns = several(value, 2, name, where)
    return rows, columns


def several(value: Any, count: int, name: str, where: str) -> tuple[int, ...]:
    """Return `count` integers from one number or from a sequence of that length."""
    values = tuple(value) if isinstance(value, Sequence) else (value,) * count
    try:
        numbers = tuple(operator.index(v) for v in values)
    except TypeError:
        numbers = ()
    if len(numbers) != count or isinstance(value, str):
        raise TypeError(
            f"[{where}] got {name} {value!r}; need an integer"
            + (f" or {count} of them." if count > 1 else ".")
        )
    return numbers


def as_shape(value: Any, name: str, where: str) -> tuple[int, ...]:
    """Return an integer, or a sequence of them, as a tuple.

    Raises:
        TypeError: It is neither.
    """
    return several(value, len(value) if isinstance(value, Sequence) else 1, name, where)

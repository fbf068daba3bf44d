"""Owns what runs along a dimension: sums, products and extremes of all so far.

Products are built of shifted copies in log2(n) steps, so that their gradients are exact
also where a factor is 0. Must not know reductions' shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from . import return_types
from .arguments import as_dim, numpys_names, require_torch
from .dtypes import as_dtype, int64
from .extremes import host_array, positions
from .reduce import called, require_floats
from .tensor import Tensor

_base: Any = _core.Tensor


def _started(where: str, input: Tensor, dim: Any, dtype: Any) -> tuple[Any, int]:
    """The numbers in the dtype of the result, and the dimension."""
    require_torch(where, input)
    at = as_dim(where, dim, input.ndim)
    if dtype is not None:
        return input._cast(as_dtype(where, dtype)), at
    return input if input.dtype.is_floating_point else input._cast(int64), at


def _scanned(input: Any, dim: int, join: Callable[[Any, Any], Any]) -> Any:
    """join(x[0], …, x[i]) at each i: doubling steps, each one op for all elements."""
    made, shift = input, 1
    size = input.shape[dim]
    while shift < size:
        head = made._slice(dim, 0, shift, 1)
        joined = join(
            made._slice(dim, 0, size - shift, 1), made._slice(dim, shift, size, 1)
        )
        made = _core.cat([head, joined], dim)
        shift *= 2
    return made


@numpys_names
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sums along `dim`; of integers in int64.

    Raises:
        IndexError: There is no such dimension.

    Kernel:
        `cumsum.cu`, a block per line.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1, 2, 3]).cumsum(0)
        tensor([1, 3, 6])
    """
    row, at = _started("cumsum", input, dim, dtype)
    return called(_base.cumsum(row, at) if row.ndim else row * 1, "CumsumBackward0")


@numpys_names
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running products along `dim`; of integers in int64.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([2, 3, 4]).cumprod(0)
        tensor([ 2,  6, 24])
    """
    row, at = _started("cumprod", input, dim, dtype)
    if row.ndim == 0 or row.shape[at] < 2:
        return called(row * 1, "CumprodBackward0")
    return called(_scanned(row, at, lambda a, b: a * b), "CumprodBackward0")


def _log_add(a: Any, b: Any) -> Any:
    both = _core.cat([_base.unsqueeze(a, 0), _base.unsqueeze(b, 0)], 0)
    return _base.logsumexp(both, 0, False)


@numpys_names
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """log of the running sums of exp(x) along `dim`, without overflow.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([0.0, 0.0]).logcumsumexp(dim=0)
        tensor([0.0000, 0.6931])
    """
    require_torch("logcumsumexp", input)
    at = as_dim("logcumsumexp", dim, input.ndim)
    require_floats("logcumsumexp", input)
    if input.ndim == 0 or input.shape[at] < 2:
        return called(_base.clone(input), "LogcumsumexpBackward0")
    return called(_scanned(input, at, _log_add), "LogcumsumexpBackward0")


def _running(where: str, kind: Any, largest: bool, input: Tensor, dim: Any) -> Any:
    """The last place so far of the extreme so far; NaN stays one."""
    require_torch(where, input)
    at = as_dim(where, dim, input.ndim)
    if input.ndim == 0:
        return kind(_base.clone(input), positions(0, input))
    rows = np.moveaxis(host_array(input), at, -1)
    if not rows.size:
        return kind(_base.clone(input), positions(np.zeros(input.shape), input))
    best = (np.maximum if largest else np.minimum).accumulate(rows, axis=-1)
    before = np.concatenate([best[..., :1], best[..., :-1]], axis=-1)
    with np.errstate(invalid="ignore"):
        hit = rows >= before if largest else rows <= before
    if rows.dtype.kind == "f":
        hit = hit & ~np.isnan(before) | np.isnan(rows)
    hit[..., 0] = True
    places = np.where(hit, np.arange(rows.shape[-1]), 0)
    last = np.maximum.accumulate(places, axis=-1)
    found = positions(np.moveaxis(last, -1, at), input)
    return kind(
        called(_base.gather(input, at, found), f"{where.capitalize()}Backward0"), found
    )


@numpys_names
def cummax(input: Tensor, dim: int) -> Any:
    """(values, indices) of the largest so far along `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1, 3, 2]).cummax(0).values
        tensor([1, 3, 3])
    """
    return _running("cummax", return_types.cummax, True, input, dim)


@numpys_names
def cummin(input: Tensor, dim: int) -> Any:
    """(values, indices) of the smallest so far along `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3, 1, 2]).cummin(dim=0).values
        tensor([3, 1, 1])
    """
    return _running("cummin", return_types.cummin, False, input, dim)


METHODS: dict[str, Any] = {
    "cummax": cummax,
    "cummin": cummin,
    "cumprod": cumprod,
    "cumsum": cumsum,
    "logcumsumexp": logcumsumexp,
}

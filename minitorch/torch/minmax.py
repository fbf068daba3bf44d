"""Minima, maxima, and their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from . import return_types
from .arguments import as_dim, require_torch, tensor_function
from .reduce import axes_of, name_step
from .tensor import Tensor, to_device

__all__ = ["amax", "amin", "argmax", "argmin", "max", "min"]

_base: Any = _core.Tensor
_ALL: Any = object()  # no dim, where None is no dimension either


def index_tensor(array: Any, input: Tensor) -> Tensor:
    """Return integers as an int64 tensor on the device of `input`."""
    return to_device(np.array(array, np.int64), input)  # type: ignore[no-any-return]


def values_at(
    input: Tensor, dim: int, at: Tensor, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """Return (values, indices) for the indices `at`, in which `dim` has size 1."""
    if input.ndim == 0:
        row = _base._reshape(input, (1,))
        values = _base._reshape(row.gather(0, _base._reshape(at, (1,))), ())
        return values, _base._reshape(at, ())
    values = _base.gather(input, dim, at)
    if keepdim:
        return values, at
    return _base.squeeze(values, dim), _base.squeeze(at, dim)


def require_cells(where: str, input: Tensor, dim: int | None) -> None:
    """Raise PyTorch's errors for a reduction over no elements."""
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError(
                f"[{where}] the tensor of shape {tuple(input.shape)} has no elements; "
                "pass dim= of a dimension that is not empty."
            )
    elif input.ndim and input.shape[dim] == 0:
        raise IndexError(
            f"[{where}] dimension {dim} of shape {tuple(input.shape)} has size 0; need "
            "at least one element along it."
        )


def _extreme(
    where: str, kind: Any, both: str, input: Tensor, dim: Any, keepdim: bool, other: Any
) -> Any:
    """Implement `max` and `min` in their three forms."""
    if isinstance(dim, _core.Tensor):
        dim, other = _ALL, dim
    if other is not None:
        require_torch(where, other)
        if dim is not _ALL or keepdim:
            raise TypeError(
                f"[{where}] got other= and further arguments; other= must be alone."
            )
        result = getattr(_base, both)(input, other)
        return name_step(result, f"{both.capitalize()}Backward0")
    if dim is _ALL:
        require_cells(where, input, None)
        result = getattr(_base, where)(input, None, False)
        return name_step(result, f"{where.capitalize()}Backward1")
    dim = as_dim(where, dim, input.ndim)
    axes_of(where, input, dim, keepdim)
    require_cells(where, input, dim)
    rows = input if input.ndim else _base._reshape(input, (1,))
    best = getattr(_base, f"arg{where}")(rows, dim, True)
    values, indices = values_at(input, dim, best, keepdim)
    return kind(name_step(values, f"{where.capitalize()}Backward0"), indices)


@tensor_function
def max(
    input: Tensor, dim: Any = _ALL, keepdim: bool = False, *, other: Any = None
) -> Any:
    """Return the maximum, (values, indices) along `dim`, or the elementwise maximum.

    `max(input)`, `max(input, dim, keepdim=False)`, `max(input, other)`. NaN wins.

    Args:
        input: Any shape.
        dim: A dimension; also as `axis`.
        keepdim: Keep it with size 1.
        other: A tensor that broadcasts; then elementwise.

    Returns:
        A tensor of shape (), a named tuple, or a tensor.

    Raises:
        RuntimeError: There is no element.
        IndexError: There is no such dimension, or it has size 0.

    Kernel:
        `reduce.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> values, indices = torch.tensor([[1, 5], [7, 2]]).max(dim=1)
        >>> values, indices
        (tensor([5, 7]), tensor([1, 0]))
    """
    return _extreme("max", return_types.max, "maximum", input, dim, keepdim, other)


@tensor_function
def min(
    input: Tensor, dim: Any = _ALL, keepdim: bool = False, *, other: Any = None
) -> Any:
    """Return the minimum, (values, indices) along `dim`, or the elementwise minimum.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0, 1.0, 2.0]).min()
        tensor(1.)
    """
    return _extreme("min", return_types.min, "minimum", input, dim, keepdim, other)


def _extreme_over(where: str, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    axes, keepdim = axes_of(f"a{where}", input, dim, keepdim)
    for axis in axes if isinstance(axes, tuple) else (axes,):
        require_cells(f"a{where}", input, axis)
    result = getattr(_base, where)(input, axes, keepdim)
    return name_step(result, f"A{where}Backward0")


@tensor_function
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the maximum along one or more dims; equal ones share the gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.amax(torch.tensor([[1, 5], [7, 2]]), dim=(0, 1))
        tensor(7)
    """
    return _extreme_over("max", input, dim, keepdim)


@tensor_function
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the minimum along one or more dims; equal ones share the gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[3.0, 1.0], [2.0, 5.0]]).amin(dim=1)
        tensor([1., 2.])
    """
    return _extreme_over("min", input, dim, keepdim)


def _require_numbers(where: str, input: Tensor) -> None:
    """Raise NotImplementedError for a bool tensor."""
    if input.dtype.name == "bool":
        raise NotImplementedError(
            f"[{where}] is not defined for torch.bool. Try .int()."
        )


def _arg_extreme(where: str, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    _require_numbers(where, input)
    axis = None if dim is None else as_dim(where, dim, input.ndim)
    if axis is None and input.numel() == 0:
        raise IndexError(
            f"[{where}] the tensor of shape {tuple(input.shape)} has no elements; need "
            "at least one."
        )
    require_cells(where, input, axis)
    if axis is None or input.ndim == 0:
        result = getattr(_base, where)(input, None, False)
        return _base._reshape(result, (1,) * input.ndim) if keepdim else result
    return getattr(_base, where)(input, axis, keepdim)


@tensor_function
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the maximum along `dim`, or in row-major order, as int64.

    Raises:
        IndexError: There is no such dimension, or no element.

    Kernel:
        `arg_reduce.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[1, 5], [7, 2]]).argmax(dim=1)
        tensor([1, 0])
    """
    return _arg_extreme("argmax", input, dim, keepdim)


@tensor_function
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the minimum along `dim`, or in row-major order, as int64.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0, 1.0, 2.0]).argmin()
        tensor(1)
    """
    return _arg_extreme("argmin", input, dim, keepdim)

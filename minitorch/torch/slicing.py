"""Slice and rearrange tensors: select, unbind, diagonal, tril."""

from __future__ import annotations

from typing import Any

from .. import _core, functional
from .._core import Tensor as Base
from .arguments import as_dim, as_integer, device_name_of, tensor_function
from .tensor import Tensor

__all__ = [
    "diag", "diagonal", "flip", "select", "tril", "triu", "unbind",
]  # fmt: skip

_AT, _RANGE = 0, 1


def slice_all(size: int) -> tuple[int, int, int, int]:
    return (_RANGE, 0, size, 1)


@tensor_function
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view of `input` at `index` along `dim`, without that dimension.

    Raises:
        IndexError: There is no such dimension or position.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 0, -1)
        tensor([3, 4])
    """
    shape = tuple(input.shape)
    if not shape:
        raise IndexError(
            "[select] needs a tensor with at least one dimension, got a scalar."
        )
    axis, position = (
        as_dim("select", dim, len(shape)),
        as_integer("select", "index", index),
    )
    if not -shape[axis] <= position < shape[axis]:
        raise IndexError(
            f"[select] index {position} is out of range for dimension {dim} of size "
            f"{shape[axis]}; need {-shape[axis]} to {shape[axis] - 1}."
        )
    parts = [slice_all(size) for size in shape]
    parts[axis] = (_AT, position % shape[axis], 1, 1)
    return Base._index(input, parts)  # type: ignore[return-value]


@tensor_function
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return a view of each slice along `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]), 1)
        (tensor([1, 3]), tensor([2, 4]))
    """
    if not input.shape:
        raise RuntimeError(
            "[unbind] needs a tensor with at least one dimension, got a scalar."
        )
    axis = as_dim("unbind", dim, len(input.shape))
    return tuple(select(input, axis, index) for index in range(input.shape[axis]))


@tensor_function
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return the diagonals of two dims, as the last dimension.

    Args:
        input: Two dimensions or more.
        offset: Above the main diagonal, or below it if negative.
        dim1, dim2: The rows and the columns.

    Returns:
        A view where the tensor is contiguous and the two dims are its last ones.

    Raises:
        RuntimeError: Both dims are the same.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    ndim = len(input.shape)
    a, b = as_dim("diagonal", dim1, ndim), as_dim("diagonal", dim2, ndim)
    if a == b or ndim < 2:
        raise RuntimeError(
            f"[diagonal] got dims {dim1} and {dim2} for shape {tuple(input.shape)}; "
            "need two different dimensions."
        )
    rest = [d for d in range(ndim) if d not in (a, b)]
    planes = Base._permute(input, [*rest, a, b])  # (…, n, m)
    n, m = planes.shape[-2:]
    length = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    if not length:
        empty = Base._slice(planes, ndim - 1, 0, 0, 1)
        return Base._reshape(empty, (*planes.shape[:-2], 0))  # type: ignore
    flat = Base._reshape(planes, (*planes.shape[:-2], n * m))
    start = offset if offset >= 0 else -offset * m
    last = start + (length - 1) * (m + 1)
    return Base._slice(flat, ndim - 2, start, last + 1, m + 1)  # type: ignore


def _on_diagonal(input: Any, offset: int) -> Any:
    """Return a square matrix of zeros with a vector on a diagonal."""
    more = abs(offset)
    side, device = input.shape[0] + more, device_name_of(input)
    zeros = _core.full((more,), 0, input.dtype, device).as_torch()
    column = _core.cat([zeros, input] if offset < 0 else [input, zeros], 0)
    every = _core.arange(0, 1, side, _core.int64, device)
    apart = every - Base._reshape(every, (side, 1))
    return Base._where(Base.eq(apart, offset), Base._reshape(column, (side, 1)), 0)


_diagonal_of = diagonal


@tensor_function
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return a diagonal of a matrix, or a matrix with a vector on its diagonal.

    Raises:
        RuntimeError: There is another number of dimensions than one or two.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diag(torch.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """
    if len(input.shape) == 1:
        return _on_diagonal(input, diagonal)
    if len(input.shape) != 2:
        raise RuntimeError(
            f"[diag] got shape {tuple(input.shape)}; need one or two dimensions. Try "
            ".diagonal()."
        )
    return Base.clone(_diagonal_of(input, diagonal))  # type: ignore[return-value]


flip = tensor_function(functional.flip)
tril = tensor_function(functional.tril)
triu = tensor_function(functional.triu)

"""Change the shape of a tensor: views, and copies that repeat elements.

What PyTorch gives as a view is one here, so that a change in place is seen in both;
`unfold` and diagonals of what is not contiguous are copies.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from .. import functional
from .._core import Tensor as Base
from ..functional.arguments import as_dims
from .arguments import require_torch, tensor_function
from .tensor import METHODS, Tensor

__all__ = [
    "broadcast_to", "flatten", "permute", "reshape",
    "squeeze", "t", "tile", "transpose", "unsqueeze",
]  # fmt: skip

Dims = int | Sequence[int]


def as_sizes(where: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the sizes of `f(2, 3)` or `f((2, 3))`."""
    if len(given) == 1 and isinstance(given[0], Sequence):
        given = tuple(given[0])
    try:
        return tuple(map(operator.index, given))
    except TypeError:
        raise TypeError(f"[{where}] got sizes {given}; need integers.") from None


def _reshaped(where: str, input: Any, shape: tuple[int, ...]) -> Any:
    """Reshape; raise RuntimeError that explains why the elements do not fit."""
    if 0 not in shape:  # with a size of 0 the core knows an open one where PyTorch asks
        try:
            return Base._reshape(input, shape)
        except (ValueError, OverflowError):
            pass  # said in PyTorch's way below
    count = math.prod(input.shape)
    known = math.prod(size for size in shape if size != -1)
    open_ = shape.count(-1)
    fits = open_ < 2 and min(shape, default=0) >= -1
    if open_:
        fits = fits and known > 0 and count % known == 0
    elif known != count:
        fits = False
    if not fits:
        raise RuntimeError(
            f"[{where}] shape {shape} is invalid for a tensor of shape "
            f"{tuple(input.shape)} ({count} elements)."
        )
    return Base._reshape(input, shape)


flatten = tensor_function(functional.flatten)
repeat = tensor_function(functional.repeat)
squeeze = tensor_function(functional.squeeze)
transpose = tensor_function(functional.transpose)
unsqueeze = tensor_function(functional.unsqueeze)


@tensor_function
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Return the elements in another shape: a view if possible, else a copy.

    Args:
        input: Any shape.
        shape: Sizes, one by one or as a sequence; one may be -1.

    Raises:
        RuntimeError: The sizes have another number of elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.reshape(torch.arange(4), (2, -1))
        tensor([[0, 1],
                [2, 3]])
    """
    return _reshaped("reshape", input, as_sizes("reshape", shape))  # type: ignore


@tensor_function
def view(input: Tensor, *size: Any) -> Tensor:
    """Return the memory in another shape.

    Args:
        input: Any shape.
        size: Sizes, one of which may be -1.

    Raises:
        RuntimeError: The elements do not fit, or strides lie across each other.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.arange(4).view(2, 2).shape
        torch.Size([2, 2])
    """
    result = _reshaped("view", input, as_sizes("view", size))
    if Base.is_contiguous(input):
        return result  # type: ignore[no-any-return]
    shares = result._storage[0] == input._storage[0]
    if not shares and math.prod(input.shape):
        raise RuntimeError(
            f"[view] cannot view shape {tuple(input.shape)} with strides "
            f"{tuple(input.strides)} as {tuple(result.shape)} without a copy. "
            "Try .reshape(...)."
        )
    return result  # type: ignore[no-any-return]


@tensor_function
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return `input` as a view of the shape of `other`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.arange(4).view_as(torch.ones(2, 2)).shape
        torch.Size([2, 2])
    """
    require_torch("view_as", other)
    return view(input, tuple(other.shape))


def _ordered(input: Any, order: Sequence[int]) -> Any:
    return Base._permute(input, list(order))


@tensor_function
def t(input: Tensor) -> Tensor:
    """Transpose a matrix; a vector or scalar stays as it is.

    Raises:
        RuntimeError: There are more than two dimensions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.t(torch.ones(2, 3)).shape
        torch.Size([3, 2])
    """
    ndim = len(input.shape)
    if ndim > 2:
        raise RuntimeError(
            f"[t] got shape {tuple(input.shape)}; need at most two dimensions. Try "
            ".transpose(0, 1) or .mT."
        )
    return _ordered(input, range(ndim - 1, -1, -1))  # type: ignore[no-any-return]


def _reversed(self: Tensor) -> Tensor:
    """View with the dimensions in reverse order."""
    return _ordered(self, range(len(self.shape) - 1, -1, -1))  # type: ignore


def _swap_last(self: Tensor) -> Tensor:
    """Return a view with the last two dimensions swapped.

    Raises:
        RuntimeError: There are fewer than two dimensions.
    """
    if len(self.shape) < 2:
        raise RuntimeError(
            f"[mT] got shape {tuple(self.shape)}; need at least two dimensions."
        )
    return transpose(self, -2, -1)


@tensor_function
def permute(input: Tensor, *dims: Any) -> Tensor:
    """Return a view with the dimensions permuted.

    Raises:
        RuntimeError: A dimension is missing or stands twice.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.permute(torch.ones(2, 3, 4), (2, 0, 1)).shape
        torch.Size([4, 2, 3])
    """
    order = as_dims("permute", as_sizes("permute", dims), len(input.shape))
    if len(order) != len(input.shape):
        raise RuntimeError(
            f"[permute] got dims {tuple(order)} for shape {tuple(input.shape)}; need "
            "every dimension exactly once."
        )
    return _ordered(input, order)  # type: ignore[no-any-return]


@tensor_function
def expand(input: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """Return a view that repeats dimensions of size 1; -1 keeps a size.

    Raises:
        RuntimeError: The sizes do not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.ones(3, 1).expand(2, -1, 4).shape
        torch.Size([2, 3, 4])
    """
    return _expanded("expand", input, as_sizes("expand", size))  # type: ignore


def _expanded(where: str, input: Any, sizes: tuple[int, ...]) -> Any:
    shape = tuple(input.shape)
    more = len(sizes) - len(shape)
    wanted = []
    fits = more >= 0
    for axis, size in enumerate(sizes):
        current = shape[axis - more] if fits and axis >= more else None
        if size == -1 and current is not None:
            size = current
        fits = fits and size >= 0 and current in (None, 1, size)
        wanted.append(size)
    if not fits:
        raise RuntimeError(
            f"[{where}] shape {shape} cannot be expanded to {sizes}: only dimensions "
            "of size 1 can grow, and new dimensions go in front."
        )
    return Base._expand(input, wanted)


@tensor_function
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Return `input` expanded to the shape of `other`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.ones(3).expand_as(torch.ones(2, 3)).shape
        torch.Size([2, 3])
    """
    require_torch("expand_as", other)
    return _expanded("expand_as", input, tuple(other.shape))  # type: ignore


@tensor_function
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Return `input` broadcast to a shape, as `expand`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.broadcast_to(torch.ones(3), (2, 3)).shape
        torch.Size([2, 3])
    """
    sizes = as_sizes("broadcast_to", (size,))
    return _expanded("broadcast_to", input, sizes)  # type: ignore[no-any-return]


@tensor_function
def tile(input: Tensor, *dims: Any) -> Tensor:
    """Repeat as `repeat`; missing leading counts are 1.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tile(torch.ones(2, 3), (2,)).shape
        torch.Size([2, 6])
    """
    counts = as_sizes("tile", dims)
    counts = (1,) * (len(input.shape) - len(counts)) + counts
    return functional.repeat(input, counts)  # type: ignore[return-value]


METHODS |= {"T": property(_reversed), "mT": property(_swap_last)}

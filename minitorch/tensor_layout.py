"""Owns Tensor's views and indexing: other shapes of the same numbers.

`minitorch.tensor` attaches these functions to the class; they know no arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import Tensor

Index = int | slice | None | tuple[int | slice | None, ...]


def sizes_of(values: tuple[Any, ...]) -> tuple[int, ...]:
    """The sizes of `f(2, 3)`, `f((2, 3))` and `f([2, 3])` alike."""
    if len(values) == 1 and isinstance(values[0], Sequence):
        values = tuple(values[0])
    return tuple(int(value) for value in values)


def permute(self: Tensor, *order: Any) -> Tensor:
    """A view with its dimensions in another order: (s0, s1, …) -> (s[order[0]], …).

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).permute(1, 0).shape
        (3, 2)
    """
    return self._permute(sizes_of(order))


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions swapped.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3, 4).transpose(0, 2).shape
        (4, 3, 2)
    """
    order = list(range(self.dims))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return self._permute(order)


def reverse_dims(self: Tensor) -> Tensor:
    """A view with its dimensions in reverse order."""
    return self._permute(list(range(self.dims - 1, -1, -1)))


def view(self: Tensor, *shape: Any) -> Tensor:
    """The same memory as another shape; one size may be -1.

    Raises:
        ValueError: The tensor is not contiguous, so only `reshape` can do it.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).view(3, -1).shape
        (3, 2)
    """
    if not self.is_contiguous():
        raise ValueError(
            f"[view] got strides {self.strides} for shape {self.shape}; need a "
            "contiguous tensor. Try .reshape(...) or .contiguous().view(...)."
        )
    return self._reshape(sizes_of(shape))


def reshape(self: Tensor, *shape: Any) -> Tensor:
    """The same elements as another shape: a view where possible, else a copy.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).permute(1, 0).reshape(6).shape
        (6,)
    """
    return self._reshape(sizes_of(shape))


def expand(self: Tensor, *shape: Any) -> Tensor:
    """A view that repeats dimensions of size 1.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(3, 1).expand(3, 4).shape
        (3, 4)
    """
    return self._expand(sizes_of(shape))


def _full_index(self: Tensor, index: Index) -> tuple[int | slice | None, ...]:
    key = index if isinstance(index, tuple) else (index,)
    used = sum(part is not None for part in key)
    if used > self.dims:
        raise IndexError(
            f"[index] got {used} indices; need at most {self.dims} for shape "
            f"{self.shape}."
        )
    return key


def getitem(self: Tensor, index: Index) -> Tensor | float:
    """Elements, slices with positive steps, and None for a new dimension.

    Returns:
        A Python number where every dimension has an index, else a view.

    Raises:
        IndexError: An index lies outside its dimension, or there are too many.

    Example:
        >>> import minitorch
        >>> t = minitorch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> t[1, 2]
        6.0
        >>> t[:, 1].numpy()
        array([2., 5.])
    """
    key = _full_index(self, index)
    view, dim, source = self, 0, 0
    for part in key:
        source += part is not None
        if part is None:
            view = view.unsqueeze(dim)
            dim += 1
        elif isinstance(part, slice):
            start, stop, step = part.start, part.stop, part.step
            size = view.shape[dim]
            view = view._slice(
                dim,
                0 if start is None else int(start),
                size if stop is None else int(stop),
                1 if step is None else int(step),
            )
            dim += 1
        else:
            size, at = view.shape[dim], int(part)
            if not -size <= at < size:
                raise IndexError(
                    f"[index] got {at} for dim {source - 1} of size {size}; need "
                    f"{-size} to {size - 1}."
                )
            at %= size
            view = view._slice(dim, at, at + 1, 1).squeeze(dim)
    only_ints = all(isinstance(part, int | np.integer) for part in key)
    return view.item() if only_ints and view.dims == 0 else view

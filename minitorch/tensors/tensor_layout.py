"""Views of tensors: `permute`, `transpose`, `view`, `reshape`, `expand`.

`minitorch.tensors.tensor_methods` lists these functions; they know no arithmetic.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from .._core import Tensor


def sizes_of(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the sizes of `f(2, 3)`, `f((2, 3))` or `f([2, 3])`."""
    if len(values) == 1 and isinstance(values[0], Sequence):
        values = tuple(values[0])
    sizes = tuple(_integer(value, "shape") for value in values)
    if any(not -(2**62) < size < 2**62 for size in sizes):
        raise ValueError(f"[shape] got {sizes}; need sizes below 2**62.")
    return sizes


def _integer(value: Any, where: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"[{where}] got {value!r}; need an integer.") from None


def permute(self: Tensor, *order: Any) -> Tensor:
    """Return a view with dimensions reordered: (s0, s1, …) -> (s[order[0]], …).

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).permute(1, 0).shape
        (3, 2)
    """
    return self._permute(sizes_of(order))


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions swapped.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3, 4).transpose(0, 2).shape
        (4, 3, 2)
    """
    order = list(range(self.dims))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return self._permute(order)


def reverse_dims(self: Tensor) -> Tensor:
    """Return a view with its dimensions in reverse order."""
    return self._permute(list(range(self.dims - 1, -1, -1)))


def view(self: Tensor, *shape: Any) -> Tensor:
    """Return the same memory with another shape; one size may be -1.

    A tensor with gaps can be viewed as long as only dimensions are joined whose
    elements lie one after another: what is split may lie anywhere.

    Raises:
        ValueError: The elements do not lie so, and only `reshape` can do it.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).view(3, -1).shape
        (3, 2)
    """
    sizes = sizes_of(shape)
    if not self.is_contiguous() and not self._can_view(sizes):
        raise ValueError(
            f"[view] cannot view a tensor of shape {tuple(self.shape)} with strides "
            f"{self.strides} as {tuple(sizes)} without a copy. Try .reshape(...) or "
            ".contiguous().view(...)."
        )
    return self._reshape(sizes)


def reshape(self: Tensor, *shape: Any) -> Tensor:
    """Return the same elements with another shape: a view where possible, else a copy.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).permute(1, 0).reshape(6).shape
        (6,)
    """
    return self._reshape(sizes_of(shape))


def expand(self: Tensor, *shape: Any) -> Tensor:
    """Return a view that repeats dimensions of size 1; -1 keeps a size.

    Raises:
        ValueError: Another size differs, or -1 stands for a dimension that is new.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(3, 1).expand(3, 4).shape
        (3, 4)
    """
    sizes = sizes_of(shape)
    if -1 in sizes:
        sizes = _kept(self.shape, sizes)
    return self._expand(sizes)


def _kept(shape: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Replace each -1 in `sizes` by the tensor's size in that dimension."""
    new = len(sizes) - len(shape)
    if -1 in sizes[: max(new, 0)]:
        raise ValueError(
            f"[expand] shape {shape} cannot be expanded to {sizes}: -1 keeps a size, "
            "but a new dimension has none."
        )
    return tuple(
        shape[i - new] if size == -1 and i >= new else size
        for i, size in enumerate(sizes)
    )

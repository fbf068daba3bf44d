"""Sort tensors, the k largest elements, search in sorted ones.

Which element goes where is found on the host by NumPy; the values are then gathered, so
that gradients go back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import Tensor as Base
from . import return_types
from .arguments import as_dim, as_integer, tensor_function
from .tensor import Tensor, to_device, to_host

__all__ = ["argsort", "sort", "topk"]


def _order(array: Any, axis: int, descending: bool) -> Any:
    """Return the stable sort order; NaN counts as the largest."""
    if not descending:
        return np.argsort(array, axis, kind="stable")
    back = np.argsort(np.flip(array, axis), axis, kind="stable")
    return array.shape[axis] - 1 - np.flip(back, axis)


def _best(array: Any, k: int, axis: int, largest: bool) -> Any:
    """Return the indices of the k largest or smallest along `axis`, in order.

    The k are found by a selection, in linear time, and only they are sorted.
    """
    size = array.shape[axis]
    if not 0 < k < size:
        return _order(array, axis, largest).take(range(k), axis=axis)
    parts = np.argpartition(array, size - k if largest else k - 1, axis)
    chosen = parts.take(range(size - k, size) if largest else range(k), axis=axis)
    chosen.sort(axis)  # equal elements keep their order
    values = np.take_along_axis(array, chosen, axis)
    return np.take_along_axis(chosen, _order(values, axis, largest), axis)


def _picked(input: Any, order: Any, dim: int) -> tuple[Any, Any]:
    indices = to_device(order.astype(np.int64, copy=False), input)
    return Base.gather(input, dim, indices), indices


def _sorted(where: str, input: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    axis = as_dim(where, dim, len(input.shape))
    if not input.shape:
        return Base.clone(input), to_device(np.zeros((), np.int64), input)
    return _picked(input, _order(to_host(input), axis, descending), axis)


@tensor_function
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False
) -> Any:
    """Return the elements sorted along `dim`, and their indices.

    Args:
        input: Any shape; NaN counts as the largest.
        dim: Along which.
        descending: The largest first.
        stable: Accepted: equal elements always keep their order.

    Returns:
        (values, indices), the indices in int64.

    Raises:
        IndexError: There is no such dimension.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sort(torch.tensor([3, 1, 2])).indices
        tensor([1, 2, 0])
    """
    if isinstance(dim, bool):  # sort(stable, dim)
        raise TypeError(f"[sort] got dim {dim}; need an integer.")
    return return_types.sort(*_sorted("sort", input, dim, descending))


@tensor_function
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False
) -> Tensor:
    """Return the indices that sort along `dim`; see `sort`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.argsort(torch.tensor([3, 1, 2]), descending=True)
        tensor([0, 2, 1])
    """
    return _sorted("argsort", input, dim, descending)[1]  # type: ignore[no-any-return]


@tensor_function
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Any:
    """Return the k largest elements along `dim`, in order, and their indices.

    Args:
        input: Any shape; NaN counts as the largest.
        k: From 0 to the size of the dimension.
        dim: Along which.
        largest: Or the smallest.
        sorted: Accepted: they are in order.

    Returns:
        (values, indices) with k cells along `dim`.

    Raises:
        RuntimeError: There are fewer elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.topk(torch.tensor([3, 1, 2]), 2).values
        tensor([3, 2])
    """
    axis = as_dim("topk", dim, len(input.shape))
    size = input.shape[axis] if input.shape else 1
    k = as_integer("topk", "k", k)
    if not 0 <= k <= size:
        raise RuntimeError(
            f"[topk] got k {k} for dimension {dim} of size {size}; need 0 to {size}."
        )
    if not input.shape:
        pair = _sorted("topk", input, dim, largest)
        if k == 0:
            none: Any = [Base._reshape(t, (1,)) for t in pair]
            pair = tuple(Base._slice(t, 0, 0, 0, 1) for t in none)  # type: ignore
        return return_types.topk(*pair)
    indices = _best(to_host(input), k, axis, largest)
    return return_types.topk(*_picked(input, indices, axis))

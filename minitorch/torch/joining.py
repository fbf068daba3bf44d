"""Join and split tensors: cat, stack, split, chunk, meshgrid.

Parts of a split are views.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from .. import functional
from .._core import Tensor as Base
from .arguments import (
    accept_numpy_names,
    require_torch,
    tensor_function,
)
from .tensor import Tensor

__all__ = [
    "cat",
    "chunk",
    "meshgrid",
    "split",
    "stack",
]


def _of_list(function: Any) -> Any:
    """Return the function of a list of tensors, which must be of this dialect."""

    @functools.wraps(function)
    def call(tensors: Any, *args: Any, **options: Any) -> Any:
        if isinstance(tensors, Sequence):
            require_torch(function.__name__, *tensors)
        return function(tensors, *args, **options)

    return accept_numpy_names(call)


cat = _of_list(functional.cat)
stack = _of_list(functional.stack)
chunk = tensor_function(functional.chunk)
split = tensor_function(functional.split)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid: each vector repeated along the other dims.

    Args:
        tensors: Vectors or numbers.
        indexing: "ij", rows first, or "xy", with the first two dims swapped.

    Raises:
        RuntimeError: A tensor has more dimensions, or `indexing` is another word.

    Example:
        >>> import minitorch.torch as torch
        >>> rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3))
        >>> rows
        tensor([[0, 0, 0],
                [1, 1, 1]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    require_torch("meshgrid", *tensors)
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"[meshgrid] got indexing {indexing!r}; need 'ij' or 'xy'.")
    if not tensors or any(len(t.shape) > 1 for t in tensors):
        raise RuntimeError(
            f"[meshgrid] got shapes {[tuple(t.shape) for t in tensors]}; need at least "
            "one tensor, of at most one dimension."
        )
    vectors = [Base._reshape(t, (math.prod(t.shape),)) for t in tensors]
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        axes[:2] = 1, 0
    shape = [vectors[axis].shape[0] for axis in axes]
    grids: list[Any] = []
    for axis, vector in zip(axes, vectors, strict=True):
        row = [1] * len(vectors)
        row[axis] = vector.shape[0]
        grids.append(Base._expand(Base._reshape(vector, row), shape))
    return tuple(grids)

"""Join and split tensors: cat, stack, split, chunk, meshgrid.

Parts of a split are views.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core, functional
from .._core import Tensor as Base
from .arguments import (
    accept_numpy_names,
    as_dim,
    as_integer,
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

Sequences = Sequence[Tensor]
_sizes_of: Any = Base.shape.__get__  # type: ignore[attr-defined]


def _listed(where: str, tensors: Any) -> list[Any]:
    if isinstance(tensors, Base) or not isinstance(tensors, Sequence):
        raise TypeError(
            f"[{where}] got {type(tensors).__name__}; need a list of tensors."
        )
    if not len(tensors):
        raise RuntimeError(f"[{where}] got an empty list; need at least one tensor.")
    require_torch(where, *tensors)
    return list(tensors)


@accept_numpy_names
def cat(tensors: Sequences, dim: int = 0) -> Tensor:
    """Concatenate tensors along `dim`, in their common dtype.

    Args:
        tensors: Of equal sizes but for `dim`; an empty one of shape (0,) is left out.
        dim: Along which.

    Raises:
        RuntimeError: There is none, a number is among them, or other sizes differ.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.cat([torch.tensor([1]), torch.tensor([2, 3])])
        tensor([1, 2, 3])
    """
    listed = _listed("cat", tensors)
    shapes = list(map(_sizes_of, listed))
    if () in shapes:
        raise RuntimeError(
            "[cat] cannot concatenate 0-dimensional tensors. Try torch.stack."
        )
    if (0,) in shapes:
        listed = [t for t, size in zip(listed, shapes, strict=True) if size != (0,)]
        listed = listed or list(tensors)[:1]
        shapes = list(map(_sizes_of, listed))
    first = shapes[0]
    axis = as_dim("cat", dim, len(first))
    if shapes.count(first) == len(shapes):
        return _core.cat(listed, axis)  # type: ignore[return-value]
    for shape in shapes[1:]:
        rest = shape[:axis] + shape[axis + 1 :]
        if len(shape) != len(first) or rest != first[:axis] + first[axis + 1 :]:
            raise RuntimeError(
                f"[cat] shapes {first} and {shape} differ outside dimension {dim}; all "
                "other sizes must be equal."
            )
    return _core.cat(listed, axis)  # type: ignore[return-value]


@accept_numpy_names
def stack(tensors: Sequences, dim: int = 0) -> Tensor:
    """Stack tensors along a new dimension `dim`.

    Raises:
        RuntimeError: There is none, or shapes differ.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])
    """
    listed = _listed("stack", tensors)
    shape = tuple(listed[0].shape)
    for t in listed:
        if tuple(t.shape) != shape:
            raise RuntimeError(
                f"[stack] got shapes {shape} and {tuple(t.shape)}; all tensors must "
                "have the same shape."
            )
    axis = as_dim("stack", dim, len(shape) + 1)
    return _core.cat([Base.unsqueeze(t, axis) for t in listed], axis)  # type: ignore


def _axis(where: str, input: Any, dim: int) -> int:
    sizes = _sizes_of(input)
    if not sizes:
        raise RuntimeError(
            f"[{where}] needs a tensor with at least one dimension, got a scalar."
        )
    return as_dim(where, dim, len(sizes))


@tensor_function
def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split into views of a given size along `dim`, or of the listed sizes.

    Raises:
        RuntimeError: The size is below 1, or the sizes do not add up.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.split(torch.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    size = split_size_or_sections
    if not isinstance(size, Sequence):
        size = as_integer("split", "split_size", size)
    return functional.split(tensor, size, _axis("split", tensor, dim))  # type: ignore


@tensor_function
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split into at most `chunks` views along `dim`, all but the last equally long.

    Raises:
        RuntimeError: `chunks` is below 1.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.chunk(torch.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
    """
    axis = _axis("chunk", input, dim)
    return functional.chunk(input, as_integer("chunk", "chunks", chunks), axis)  # type: ignore


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
    listed = _listed("meshgrid", tensors)
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"[meshgrid] got indexing {indexing!r}; need 'ij' or 'xy'.")
    if any(len(t.shape) > 1 for t in listed):
        raise RuntimeError(
            f"[meshgrid] got shapes {[tuple(t.shape) for t in listed]}; need tensors "
            "of at most one dimension."
        )
    vectors = [Base._reshape(t, (math.prod(t.shape),)) for t in listed]
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        axes[0], axes[1] = 1, 0
    shape = [0] * len(vectors)
    for axis, vector in zip(axes, vectors, strict=True):
        shape[axis] = vector.shape[0]
    grids: list[Any] = []
    for axis, vector in zip(axes, vectors, strict=True):
        row = [1] * len(vectors)
        row[axis] = vector.shape[0]
        grids.append(Base._expand(Base._reshape(vector, row), shape))
    return tuple(grids)

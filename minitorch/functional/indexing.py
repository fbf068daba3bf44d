"""Indexing and rearranging tensors: `cat`, `stack`, `split`, `gather`, `scatter`,
`flip`, `tril`, `repeat`.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import DeviceError, FitError, Tensor
from ..tensors.tensor_layout import sizes_of
from .arguments import as_dim, as_dims, as_integer, require_tensors

__all__ = [
    "cat",
    "chunk",
    "flatten",
    "flip",
    "gather",
    "index_select",
    "masked_fill",
    "one_hot",
    "repeat",
    "scatter",
    "scatter_add",
    "split",
    "squeeze",
    "stack",
    "transpose",
    "tril",
    "triu",
    "unsqueeze",
]


def _listed(where: str, tensors: Any) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
        raise TypeError(
            f"[{where}] got {type(tensors).__name__}; need a list of tensors."
        )
    require_tensors(where, *tensors)
    return list(tensors)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Concatenate tensors along `dim`, in their promoted dtype; (0,) is left out.

    Raises:
        ValueError: There is none, one is a scalar, other sizes differ, or devices do.

    Kernel:
        `copy.cu`, once for each tensor.

    Example:
        >>> import minitorch
        >>> cat([minitorch.ones(1), minitorch.zeros(2)]).numpy()
        array([1., 0., 0.])
    """
    listed = _listed("cat", tensors)
    if any(not t.shape for t in listed):
        raise FitError("[cat] cannot concatenate 0-dimensional tensors. Try stack.")
    kept = [t for t in listed if tuple(t.shape) != (0,)] or listed[:1]
    return _core.cat(kept, as_dim("cat", dim, kept[0].dims) if kept else 0)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Stack tensors along a new dimension `dim`.

    Raises:
        ValueError: There is none, or shapes or devices differ.

    Kernel:
        `copy.cu`, once for each tensor.

    Example:
        >>> import minitorch
        >>> stack([minitorch.ones(2), minitorch.zeros(2)], 1).shape
        (2, 2)
    """
    listed = _listed("stack", tensors)
    if not listed:
        raise FitError("[stack] got no tensors; need at least one.")
    first = listed[0]
    for t in listed:
        if t.shape != first.shape:
            raise FitError(
                f"[stack] got shapes {tuple(first.shape)} and {tuple(t.shape)}; all "
                "tensors must have the same shape."
            )
        if t.device != first.device:
            raise DeviceError(
                f"[stack] tensors are on {first.device} and {t.device}; need one "
                'device. Try .to("cuda") of the one on cpu.'
            )
    axis = as_dim("stack", dim, first.dims + 1)
    return _core.cat([Tensor.unsqueeze(tensor, axis) for tensor in listed], axis)


def _axis(where: str, input: Tensor, dim: int) -> int:
    if not input.dims:
        raise FitError(f"[{where}] got a scalar; need at least one dimension.")
    return as_dim(where, dim, input.dims)


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split along `dim` into views of a size (the last may be shorter) or listed sizes.

    Raises:
        ValueError: Listed sizes do not add up, or `size` is below 1.

    Example:
        >>> import minitorch
        >>> [part.shape for part in split(minitorch.zeros(5), 2)]
        [(2,), (2,), (1,)]
    """
    require_tensors("split", tensor)
    axis = _axis("split", tensor, dim)
    length = tensor.shape[axis]
    if isinstance(split_size_or_sections, Sequence):
        sizes = list(sizes_of((split_size_or_sections,)))
        if sum(sizes) != length or min(sizes, default=0) < 0:
            raise FitError(
                f"[split] got sizes {tuple(sizes)} for a dimension of size {length}; "
                f"they must sum to {length}."
            )
    else:
        size = as_integer("split", "split_size", split_size_or_sections)
        if size < 0 or (size == 0 and length):
            raise FitError(f"[split] got size {size}; need at least 1.")
        sizes = [min(size, length - i) for i in range(0, length, size or 1)] or [0]
    ends = itertools.accumulate(sizes)
    return tuple(
        tensor._slice(axis, end - count, end, 1)
        for end, count in zip(ends, sizes, strict=True)
    )


_MOST_PARTS = 2**24  # tensors that a program can have at once


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views along `dim`, all but the last equally long.

    Raises:
        ValueError: `chunks` is below 1.

    Example:
        >>> import minitorch
        >>> [part.shape for part in chunk(minitorch.zeros(5), 2)]
        [(3,), (2,)]
    """
    require_tensors("chunk", input)
    if not 1 <= as_integer("chunk", "chunks", chunks) <= _MOST_PARTS:
        raise FitError(f"[chunk] got {chunks} chunks; need 1 to {_MOST_PARTS}.")
    length = input.shape[_axis("chunk", input, dim)]
    return split(input, -(-length // chunks) if length else [0] * chunks, dim)


def flip(input: Tensor, *dims: Any) -> Tensor:
    """Return a copy with the elements in reverse order along `dims`.

    Kernel:
        `copy.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> flip(minitorch.arange(3), 0).numpy()
        array([2., 1., 0.])
    """
    require_tensors("flip", input)
    over = as_dims("flip", dims[0] if len(dims) == 1 else dims, input.dims)
    return input._flip(over if input.dims else []).clone()


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[i] = input[i with index[i] as its coordinate along `dim`].

    Args:
        input: Any shape.
        dim: The dimension that the indices stand for.
        index: Integers, negative ones from the end; as many dimensions as `input`, no
            longer than it along the others.

    Raises:
        IndexError: An index lies outside the dimension; on `cuda` said at the next
            synchronisation, because nobody waits for the device.
        TypeError: `index` does not hold integers.
        ValueError: The shapes do not fit.

    Kernel:
        `gather.cu`, a thread per element; back by `scatter.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> gather(x, 1, minitorch.tensor([[1], [0]], dtype="int64")).numpy()
        array([[2.],
               [3.]])
    """
    require_tensors("gather", input, index)
    return input.gather(dim, index)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices at the indices `index` (n,) along `dim`.

    Kernel:
        `gather.cu`, a thread per element; back by `scatter.cu`.

    Example:
        >>> import minitorch
        >>> index_select(minitorch.arange(4), 0, minitorch.arange(2, dtype="int64"))
        tensor([0., 1.])
    """
    require_tensors("index_select", input, index)
    return input.index_select(dim, index)


def scatter(input: Tensor, dim: int, index: Tensor, source: Tensor | float) -> Tensor:
    """Return a copy of `input` with source[i] at [i with index[i] along `dim`].

    Of equal indices the last stays on `cpu`, any of them on `cuda`.

    Kernel:
        `scatter.cu`, a thread per element of `source`.

    Example:
        >>> import minitorch
        >>> at = minitorch.tensor([2], dtype="int64")
        >>> scatter(minitorch.zeros(3), 0, at, 5.0).numpy()
        array([0., 0., 5.])
    """
    require_tensors("scatter", input, index)
    given = source if isinstance(source, Tensor) else input._beside(source)
    return input.scatter(dim, index, given)


def scatter_add(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return a copy of `input` with source[i] added at [i with index[i] along `dim`].

    Kernel:
        `scatter.cu`, a thread per element of `source`, with atomic additions.

    Example:
        >>> import minitorch
        >>> at = minitorch.tensor([1, 1], dtype="int64")
        >>> scatter_add(minitorch.zeros(2), 0, at, minitorch.ones(2)).numpy()
        array([0., 2.])
    """
    require_tensors("scatter_add", input, index, source)
    return input.scatter_add(dim, index, source)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return labels (…) as int64 (…, num_classes): 1 at the label's position.

    Args:
        tensor: Integers from 0.
        num_classes: By default one more than the largest label, which waits for the
            device.

    Raises:
        TypeError: The labels are not integers.
        ValueError: `num_classes` is below 1, or missing beside no labels.
        IndexError: A label is negative or reaches `num_classes`; on `cuda` said at the
            next synchronisation.

    Kernel:
        `check_index.cu` and `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> one_hot(minitorch.tensor([0, 2], dtype="int64")).numpy()
        array([[1, 0, 0],
               [0, 0, 1]])
    """
    require_tensors("one_hot", tensor)
    if tensor.dtype.is_floating_point or tensor.dtype == _core.bool_:
        raise TypeError(
            f"[one_hot] got {tensor.dtype.name}; need integers. Try input.long()."
        )
    if num_classes == -1 and tensor.numel():
        low, high = int(tensor.min().item()), int(tensor.max().item())
        if low < 0:
            raise IndexError(
                f"[one_hot] got labels from {low} to {high}; need at least 0."
            )
        num_classes = high + 1
    wanted = operator.index(num_classes)
    if wanted < 1:
        raise FitError(
            f"[one_hot] got num_classes {wanted}; need 1 or more, or -1 and labels."
        )
    labels = tensor._checked_labels(wanted, "one_hot")
    across = _core.arange(0, 1, wanted, _core.int64, tensor.device)
    return labels.unsqueeze(tensor.dims).eq(across)._cast(_core.int64)


def _filler(input: Tensor, value: Any, where: str) -> Any:
    """Return a fill value for `input`: a number of its dtype, or a tensor for bool."""
    if isinstance(value, Tensor):
        if value.shape:
            raise FitError(
                f"[{where}] got a value of shape {tuple(value.shape)}; need a number "
                "or a 0-dimensional tensor."
            )
        return value._cast(input.dtype)._to_device(input.device)
    if not isinstance(value, int | float | np.number | np.bool_):
        raise TypeError(f"[{where}] got {type(value).__name__}; need a number.")
    number = value.item() if isinstance(value, np.generic) else value
    if input.dtype.is_floating_point:
        return float(number)
    if input.dtype == _core.bool_:
        return _core.full((), int(bool(number)), _core.bool_, input.device)
    if not math.isfinite(number):
        raise FitError(
            f"[{where}] {number} cannot be stored in a tensor of {input.dtype.name}. "
            "Try .double() first."
        )
    return int(number)


def _triangle(input: Tensor, diagonal: int, lower: bool, where: str) -> Tensor:
    if input.dims < 2:
        raise FitError(
            f"[{where}] got shape {tuple(input.shape)}; need at least 2 dimensions."
        )
    rows, columns = input.shape[-2:]
    down = _core.arange(diagonal, 1, rows, _core.int64, input.device).unsqueeze(1)
    across = _core.arange(0, 1, columns, _core.int64, input.device)
    kept = across.le(down) if lower else across.ge(down)
    return kept._where(input, _filler(input, 0, where))


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the last two dimensions with 0 above the diagonal.

    Kernel:
        `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> tril(minitorch.ones(2, 2)).numpy()
        array([[1., 0.],
               [1., 1.]])
    """
    require_tensors("tril", input)
    return _triangle(input, diagonal, True, "tril")


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the last two dimensions with 0 below the diagonal.

    Kernel:
        `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> triu(minitorch.ones(2, 2), 1).numpy()
        array([[0., 1.],
               [0., 0.]])
    """
    require_tensors("triu", input)
    return _triangle(input, diagonal, False, "triu")


def masked_fill(input: Tensor, mask: Tensor, value: float) -> Tensor:
    """`value` where the mask is not 0, else `input`; both broadcast.

    Args:
        input: Any shape and dtype, which the result has as well.
        mask: Truth values, or numbers that are 0 for false.
        value: A number, or a tensor () of one; among integers its whole part.

    Raises:
        TypeError: The value is no number.
        ValueError: Shapes do not broadcast, or no integer of the dtype holds the value.

    Kernel:
        `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0, 2.0])
        >>> masked_fill(x, x.gt(1), 0).numpy()
        array([1., 0.])
    """
    require_tensors("masked_fill", input, mask)
    return mask._where(_filler(input, value, "masked_fill"), input)


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Repeat the tensor along each dimension.

    Raises:
        ValueError: There are fewer numbers than dimensions, or one is negative.

    Kernel:
        `copy.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> repeat(minitorch.arange(2), 2, 2).numpy()
        array([[0., 1., 0., 1.],
               [0., 1., 0., 1.]])
    """
    require_tensors("repeat", input)
    counts = sizes_of(repeats)
    if len(counts) < input.dims or min(counts, default=0) < 0:
        raise FitError(
            f"[repeat] got {counts} for shape {tuple(input.shape)}; need a repeat "
            "count for every dimension, each at least 0."
        )
    sizes = (1,) * (len(counts) - input.dims) + input.shape
    pairs = [part for pair in zip(counts, sizes, strict=True) for part in pair]
    apart = [part for size in sizes for part in (1, size)]
    spread = input._reshape(apart)._expand(pairs)  # (s, …) -> (n, s, …)
    result = spread._reshape([n * s for n, s in zip(counts, sizes, strict=True)])
    return result.clone() if set(counts) <= {1} else result


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Join the dimensions from `start_dim` to `end_dim`: a view where possible.

    Example:
        >>> import minitorch
        >>> flatten(minitorch.zeros(2, 3, 4), 1).shape
        (2, 12)
    """
    require_tensors("flatten", input)
    if input.dims == 0:
        return input._reshape((1,))
    first = as_dim("flatten", start_dim, input.dims)
    last = as_dim("flatten", end_dim, input.dims)
    if first > last:
        raise FitError(
            f"[flatten] start_dim {start_dim} must not come after end_dim {end_dim}."
        )
    shape, middle = input.shape, 1
    for size in shape[first : last + 1]:
        middle *= size
    return input._reshape((*shape[:first], middle, *shape[last + 1 :]))


def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Return a view without dimensions of size 1: all, or those in `dim`.

    Example:
        >>> import minitorch
        >>> squeeze(minitorch.zeros(1, 2, 1)).shape
        (2,)
    """
    require_tensors("squeeze", input)
    all_dims = range(input.dims)
    gone = all_dims if dim is None else as_dims("squeeze", dim, input.dims)
    kept = [d for d in all_dims if input.shape[d] != 1 or d not in gone]
    return input._reshape([input.shape[d] for d in kept])


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return a view with a new dimension of size 1 at `dim`.

    Example:
        >>> import minitorch
        >>> unsqueeze(minitorch.zeros(2), -1).shape
        (2, 1)
    """
    require_tensors("unsqueeze", input)
    return Tensor.unsqueeze(input, dim)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions swapped.

    Example:
        >>> import minitorch
        >>> transpose(minitorch.zeros(2, 3, 4), 0, -1).shape
        (4, 3, 2)
    """
    require_tensors("transpose", input)
    order = list(range(input.dims))
    a = as_dim("transpose", dim0, input.dims)
    b = as_dim("transpose", dim1, input.dims)
    if order:
        order[a], order[b] = order[b], order[a]
    return input._permute(order)

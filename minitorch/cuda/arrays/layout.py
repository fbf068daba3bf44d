"""Arithmetic of shapes and byte strides: indexing, reshapes, memory spans."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from types import EllipsisType
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

Shape = SupportsIndex | Iterable[SupportsIndex]
Sizes = tuple[int, ...]


class Layout(NamedTuple):
    """Byte offset of the first element, shape and byte strides."""

    offset: int
    shape: Sizes
    strides: Sizes


def as_sizes(shape: Shape, where: str, least: int = 0) -> Sizes:
    """Return a shape as a tuple; ValueError for a size below `least`.

    Raises TypeError where it is no integers.
    """
    try:
        sizes = (shape,) if isinstance(shape, SupportsIndex) else tuple(shape)
        result = tuple(operator.index(size) for size in sizes)
    except TypeError:
        raise TypeError(
            f"[{where}] got shape {shape!r}; need an int or a tuple of ints."
        ) from None
    if any(size < least for size in result):
        raise ValueError(
            f"[{where}] got shape {result}; every size must be at least {least}."
        )
    return result


def as_dtype(dtype: npt.DTypeLike, where: str) -> np.dtype[Any]:
    """Return a NumPy dtype; TypeError unless it is numeric and native-endian."""
    try:
        result = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        raise TypeError(f"[{where}] got dtype {dtype!r}; need a NumPy dtype.") from None
    if result.hasobject:
        raise TypeError(
            f"[{where}] got dtype {result}; need a numeric dtype, not Python objects."
        )
    if result.kind not in "biufcV":
        raise TypeError(f"[{where}] got dtype {result}; need a numeric dtype.")
    if not result.isnative:
        raise TypeError(
            f"[{where}] dtype {result.str!r} is not in native byte order. Try "
            f"array.astype({result.newbyteorder('=').str!r})."
        )
    return result


def permuted(
    shape: Sizes, strides: Sizes, axes: Iterable[SupportsIndex] | None
) -> tuple[Sizes, Sizes]:
    """Return shape and strides with the axes permuted; None reverses them."""
    ndim = len(shape)
    order = tuple(range(ndim))[::-1] if axes is None else tuple(axes)
    try:
        dims = [range(ndim)[dim] for dim in order]
    except IndexError:
        dims = []
    if sorted(dims) != list(range(ndim)):
        raise ValueError(
            f"[transpose] got axes {order}; need a permutation of all {ndim} "
            "dimensions."
        )
    return tuple(shape[dim] for dim in dims), tuple(strides[dim] for dim in dims)


def as_order(order: object, where: str) -> str:
    """Return `order` if it is "C" or "F", else raise ValueError."""
    if order in ("C", "F"):
        return str(order)
    raise ValueError(
        f"[{where}] got order {order!r}; need 'C' (rows) or 'F' (columns)."
    )


def contiguous_strides(shape: Sizes, itemsize: int, order: str = "C") -> Sizes:
    """Return gapless strides: last index fastest ("C") or first fastest ("F")."""
    strides, step = [], itemsize
    for size in shape if order == "F" else reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides if order == "F" else reversed(strides))


def is_contiguous(shape: Sizes, strides: Sizes, itemsize: int, order: str) -> bool:
    """Return whether there are no gaps in `order`; dimensions of size 1 are ignored."""
    if 0 in shape:
        return True
    expected = contiguous_strides(shape, itemsize, order)
    return all(
        size == 1 or stride == step
        for size, stride, step in zip(shape, strides, expected, strict=True)
    )


def span(shape: Sizes, strides: Sizes, itemsize: int) -> tuple[int, int]:
    """Return the byte range [first, end), relative to the first element."""
    if 0 in shape:
        return 0, 0
    reaches = [(size - 1) * step for size, step in zip(shape, strides, strict=True)]
    low = sum(reach for reach in reaches if reach < 0)
    return low, sum(reach for reach in reaches if reach > 0) + itemsize


def _expand_key(key: object, ndim: int) -> list[Any]:
    """Expand the key to one entry per dimension, plus `None` for each new axis."""
    entries = list(key) if isinstance(key, tuple) else [key]
    for entry in entries:
        if entry is not None and not isinstance(entry, slice | EllipsisType):
            _as_index(entry)
    used = sum(entry is not None and entry is not Ellipsis for entry in entries)
    dots = [position for position, entry in enumerate(entries) if entry is Ellipsis]
    if len(dots) > 1:
        raise IndexError("[index] an index can contain only one '...'.")
    if used > ndim:
        raise IndexError(
            f"[index] got {used} indices for an array with {ndim} "
            f"dimension{'s' * (ndim != 1)}."
        )
    position = dots[0] if dots else len(entries)
    rest = entries[position + 1 :] if dots else []
    return entries[:position] + [slice(None)] * (ndim - used) + rest


def _as_index(entry: object) -> int:
    if isinstance(entry, SupportsIndex) and not isinstance(entry, bool):
        return operator.index(entry)
    raise TypeError(
        f"[index] cannot index with {type(entry).__name__}; need ints, slices, None or "
        "'...'. For other indices use array.copy_to_host()[...]."
    )


def _position(entry: object, size: int, dimension: int) -> int:
    index = _as_index(entry)
    if not -size <= index < size:
        raise IndexError(
            f"[index] index {index} is out of range for dimension {dimension} with "
            f"size {size}."
        )
    return index + size if index < 0 else index


def select(layout: Layout, key: object) -> Layout:
    """Return the layout of `array[key]`, by NumPy's rules of basic indexing.

    Args:
        layout: Of the array.
        key: Ints, slices, None and "..." alone or in a tuple.

    Raises:
        IndexError: Too many indices, or one out of range.
        TypeError: Another kind of index, such as an array or a float.

    Example:
        >>> select(Layout(0, (4, 6), (24, 4)), (slice(None, None, -1), 2))
        Layout(offset=80, shape=(4,), strides=(-24,))
    """
    offset, dimension = layout.offset, 0
    shape: list[int] = []
    strides: list[int] = []
    for entry in _expand_key(key, len(layout.shape)):
        if entry is None:
            shape.append(1)
            strides.append(0)
            continue
        size, step = layout.shape[dimension], layout.strides[dimension]
        if isinstance(entry, slice):
            chosen = range(*entry.indices(size))
            shape.append(len(chosen))
            strides.append(step * chosen.step)
            offset += step * chosen.start if len(chosen) else 0
        else:
            offset += step * _position(entry, size, dimension)
        dimension += 1
    return Layout(offset, tuple(shape), tuple(strides))


def infer_shape(shape: Sequence[int], count: int) -> Sizes:
    """Return `shape` with -1 replaced, so that it holds `count` elements."""
    known = math.prod(size for size in shape if size != -1)
    unknown = sum(size == -1 for size in shape)
    fits = unknown == 1 and known and count % known == 0
    if any(size < -1 for size in shape) or not (
        fits or (unknown == 0 and known == count)
    ):
        raise ValueError(
            f"[reshape] cannot reshape {count} elements to shape {tuple(shape)}: the "
            f"product of the sizes must be {count}; one size may be -1."
        )
    return tuple(count // known if size == -1 else size for size in shape)


def reshaped(shape: Sizes, strides: Sizes, itemsize: int, new: Sizes) -> Sizes | None:
    """Return strides that give the memory shape `new`; None if it takes a copy.

    Args:
        shape: Sizes now.
        strides: Strides now, in bytes.
        itemsize: Bytes of an element.
        new: Sizes wanted, of as many elements.

    Example:
        >>> reshaped((4, 6), (48, 4), 4, (4, 3, 2))
        (48, 8, 4)
        >>> reshaped((4, 6), (48, 4), 4, (24,)) is None
        True
    """
    if 0 in shape:
        return contiguous_strides(new, itemsize)
    runs = _runs(shape, strides)
    result: list[int] = []
    left, step = 1, itemsize  # elements of the current run that are still to be placed
    for size in reversed(new):
        if size == 1:
            result.append(step)
            continue
        if left == 1:
            left, step = runs.pop()
        if left % size:
            return None
        result.append(step)
        left, step = left // size, step * size
    return tuple(reversed(result))


def _runs(shape: Sizes, strides: Sizes) -> list[tuple[int, int]]:
    """Return (elements, stride) of each run of contiguous dimensions, outermost first.

    Dimensions of size 1 are left out.
    """
    runs: list[tuple[int, int]] = []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if runs and runs[-1][1] == size * step:
            runs[-1] = (runs[-1][0] * size, step)
        else:
            runs.append((size, step))
    return runs


def layout_letter(shape: Sizes, strides: Sizes, itemsize: int) -> str:
    """Return Numba's layout letter: "C", "F", or "A" for others and broadcasts."""
    broadcast = 0 in strides and 0 not in shape
    if not broadcast:
        for order in ("C", "F"):
            if is_contiguous(shape, strides, itemsize, order):
                return order
    return "A"

"""Arithmetic of shapes and byte strides: indexing, reshapes, memory spans."""

from __future__ import annotations

import contextlib
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


#: Where a `numpy_twin` of offset 0 begins; any address but 0 would do.
_BASE = 1 << 40


class _Description:
    """Array for NumPy by its interface alone."""

    def __init__(self, layout: Layout, itemsize: int) -> None:
        self.__array_interface__ = {
            "data": (_BASE + layout.offset, False),
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": f"|V{itemsize}",
            "version": 3,
        }


def numpy_twin(layout: Layout, itemsize: int) -> npt.NDArray[Any]:
    """Return a NumPy array of this layout without memory: it must not be read.

    Its views tell how NumPy would index and transpose, see `layout_of`.
    """
    return np.asarray(_Description(layout, itemsize))


def layout_of(twin: npt.NDArray[Any]) -> Layout:
    """Return the layout of a view of a `numpy_twin`."""
    return Layout(twin.ctypes.data - _BASE, twin.shape, twin.strides)


def select(layout: Layout, itemsize: int, key: object) -> Layout:
    """Return the layout of `array[key]`, by NumPy's rules of basic indexing.

    Args:
        layout: Of the array.
        itemsize: Bytes of an element.
        key: Ints, slices, None and "..." alone or in a tuple.

    Raises:
        IndexError: Too many indices, or one out of range.
        TypeError: Another kind of index, such as an array or a float.

    Example:
        >>> select(Layout(0, (4, 6), (24, 4)), 4, (slice(None, None, -1), 2))
        Layout(offset=80, shape=(4,), strides=(-24,))
    """
    keys = key if isinstance(key, tuple) else (key,)
    entries = [_as_entry(entry) for entry in keys]
    if Ellipsis not in entries:
        entries.append(Ellipsis)  # so that an element is a view, too, and not read
    try:
        return layout_of(numpy_twin(layout, itemsize)[tuple(entries)])
    except IndexError as error:
        raise IndexError(f"[index] {error}.") from None


def _as_entry(entry: Any) -> Any:
    if entry is None or isinstance(entry, slice | EllipsisType):
        return entry
    if not isinstance(entry, bool):
        with contextlib.suppress(TypeError):
            return operator.index(entry)
    raise TypeError(
        f"[index] cannot index with {type(entry).__name__}; need ints, slices, None or "
        "'...'. For other indices use array.copy_to_host()[...]."
    )


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


def layout_letter(shape: Sizes, strides: Sizes, itemsize: int) -> str:
    """Return Numba's layout letter: "C", "F", or "A" for others and broadcasts."""
    broadcast = 0 in strides and 0 not in shape
    if not broadcast:
        for order in ("C", "F"):
            if is_contiguous(shape, strides, itemsize, order):
                return order
    return "A"

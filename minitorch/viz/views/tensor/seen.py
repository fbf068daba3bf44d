"""One array of the tensor view: which cell each of its elements is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = tuple[int, ...]
Cells = NDArray[np.int64]

MOST_LOOKED_AT = 1 << 20
NOBODY, UNKNOWN = -1, -2  # in place of the number of a row


@dataclass(frozen=True)
class Seen:
    """An array: how it counts cells of a memory as its elements.

    Attributes:
        name: what it is called.
        shape: its sizes.
        strides: cells from one element to the next, along each dimension.
        start: the cell of element [0, …, 0].
        dtype, device: of its numbers.
        memory: the number of the memory that it lies in.
        window: which elements are drawn, along each dimension.
        values: of these.
        focus: the element that the view is about; None for an empty array, and where
            none of its elements lies in the cell that the view is about.
    """

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int
    dtype: str
    device: str
    memory: int
    window: tuple[range, ...]
    values: NDArray[Any]
    focus: Index | None

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def whole(self) -> bool:
        """Are all elements drawn?"""
        return self.size == math.prod(map(len, self.window))

    def cell_of(self, index: Index) -> int:
        """Where an element lies: start plus index times stride, summed."""
        steps = zip(index, self.strides, strict=True)
        return self.start + sum(at * step for at, step in steps)

    def cells(self, ranges: tuple[range, ...] | None = None) -> Cells:
        """The cells of the elements drawn, or of others, in the array's shape."""
        found = np.array(self.start, np.int64)
        chosen = self.window if ranges is None else ranges
        for along, step in zip(chosen, self.strides, strict=True):
            found = found[..., None] + np.asarray(along, np.int64) * step
        return found

    @property
    def different(self) -> int | None:
        """How many cells it sees; None where that takes too long to count."""
        if self.size == 0:
            return 0
        kept = [
            (size, step)
            for size, step in zip(self.shape, self.strides, strict=True)
            if size > 1 and step != 0
        ]
        reach = 0
        for size, step in sorted(kept, key=lambda each: abs(each[1])):
            if abs(step) <= reach:
                break
            reach += (size - 1) * abs(step)
        else:
            return math.prod(size for size, _ in kept)
        if self.size > MOST_LOOKED_AT:
            return None
        return len(np.unique(self.cells(tuple(map(range, self.shape)))))

    @property
    def row_order(self) -> bool:
        """Do the elements follow each other row after row without gaps?"""
        step = 1
        if self.size == 0:
            return True
        for size, own in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size > 1 and own != step:
                return False
            step *= size
        return True


def looked_at(array: Seen) -> tuple[range, ...]:
    """The elements whose cells are told: all, or of a large array those drawn."""
    small = array.size <= MOST_LOOKED_AT
    return tuple(map(range, array.shape)) if small else array.window


def row_dim(array: Seen) -> int | None:
    """The dimension whose number gives the hue: the first drawn that moves on."""
    for dim, (along, step) in enumerate(zip(array.window, array.strides, strict=True)):
        if len(along) > 1 and step != 0:
            return dim
    return None


def rows_of(array: Seen, ranges: tuple[range, ...] | None = None) -> Cells:
    """For each element drawn, or of others, its number along `row_dim`."""
    chosen = array.window if ranges is None else ranges
    dim, shape = row_dim(array), tuple(map(len, chosen))
    if dim is None:
        return np.zeros(shape, np.int64)
    turned = [-1 if each == dim else 1 for each in range(len(shape))]
    along = np.asarray(chosen[dim], np.int64).reshape(turned)
    return np.broadcast_to(along, shape)


def rows_at(array: Seen, cells: Cells) -> Cells:
    """For each of some cells the row of the array that sees it, NOBODY or UNKNOWN."""
    ranges = looked_at(array)
    own, first = np.unique(array.cells(ranges).reshape(-1), return_index=True)
    nothing = UNKNOWN if array.size > MOST_LOOKED_AT else NOBODY
    if not len(own):
        return np.full(cells.shape, nothing)
    at = np.minimum(np.searchsorted(own, cells), len(own) - 1)
    rows = rows_of(array, ranges).reshape(-1)[first]
    return np.where(own[at] == cells, rows[at], nothing)


class Finder:
    """Finds the first element of an array that lies in a cell."""

    def __init__(self, array: Seen) -> None:
        self._array = array
        self._ranges = looked_at(array)

    @cached_property
    def _sorted(self) -> tuple[Cells, Cells]:
        """Different cells in order, and the first element in each: for who asks."""
        cells = self._array.cells(self._ranges).reshape(-1)
        return np.unique(cells, return_index=True)

    def __call__(self, cell: int) -> Index | None:
        cells, first = self._sorted
        at = int(np.searchsorted(cells, cell))
        if at == len(cells) or cells[at] != cell:
            return None
        shape = tuple(map(len, self._ranges))
        found = np.unravel_index(int(first[at]), shape) if shape else ()
        return tuple(
            each[int(place)] for each, place in zip(self._ranges, found, strict=True)
        )


def checked_index(index: Any, shape: tuple[int, ...]) -> Index:
    """The index of an element, negative numbers counted from the end.

    Raises:
        TypeError: neither a number nor a tuple of numbers.
        IndexError: there is no such element.
    """
    given = index if isinstance(index, tuple | list) else (index,)
    try:
        found = tuple(each.__index__() for each in given)
    except (AttributeError, TypeError):
        raise TypeError(
            f"[viz.tensor] got index {index!r}; need a number for each dimension."
        ) from None
    inside = len(found) == len(shape) and all(
        -size <= at < size for at, size in zip(found, shape, strict=True)
    )
    if not inside:
        raise IndexError(
            f"[viz.tensor] got index {index!r}; need one within shape {shape}."
        )
    return tuple(at % size for at, size in zip(found, shape, strict=True))

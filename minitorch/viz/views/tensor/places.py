"""The numbers of the tensor view: which element lies in which cell of memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .memory import Lying, lying
from .seen import (
    MOST_LOOKED_AT,
    NOBODY,
    UNKNOWN,
    Finder,
    Index,
    Seen,
    checked_index,
    looked_at,
    rows_of,
)

MOST_DIMS = 4  # drawn; of more dimensions the last four, at the focus
_SHOWN_CELLS = 96  # of a memory
# Elements drawn along each dimension, by the number of drawn dimensions.
_SHOWN = ((), (16,), (12, 14), (4, 6, 7), (3, 3, 4, 5))


@dataclass(frozen=True)
class Memory:
    """A stretch of memory that arrays lie in.

    Attributes:
        cells: how many it has.
        itemsize: bytes of a cell.
        shown: which are drawn.
        owner: for each of these the row of the first array that sees it, NOBODY, or
            UNKNOWN where an array is too large to look at all its elements.
        values: of these, None where nobody looks.
        focus: the cell that the view is about, or None.
    """

    cells: int
    itemsize: int
    shown: range
    owner: tuple[int, ...]
    values: tuple[Any, ...]
    focus: int | None


@dataclass(frozen=True)
class Places:
    """What the tensor view shows: one or two arrays, and the memory they lie in."""

    arrays: tuple[Seen, ...]
    memories: tuple[Memory, ...]

    @property
    def shared(self) -> bool:
        """Do two arrays lie in the same memory?"""
        return len(self.arrays) > len(self.memories)


def _middle(shape: tuple[int, ...]) -> Index | None:
    """An element that is far from the start in each direction, yet soon found."""
    if 0 in shape:
        return None
    return tuple(min(2 * size // 3, 5) for size in shape)


def _window(shape: tuple[int, ...], focus: Index | None) -> tuple[range, ...]:
    """Which elements are drawn: all of a small array, else those around the focus."""
    if focus is None:
        return tuple(range(0) for _ in shape)
    folded = max(len(shape) - MOST_DIMS, 0)
    ranges = [range(at, at + 1) for at in focus[:folded]]
    limits = _SHOWN[len(shape) - folded]
    for size, at, most in zip(shape[folded:], focus[folded:], limits, strict=True):
        first = max(0, min(at - most // 2, size - most))
        ranges.append(range(first, min(first + most, size)))
    return tuple(ranges)


@dataclass(frozen=True)
class _Span:
    """A memory: its number, where it begins and ends, the bytes of a cell."""

    number: int
    begin: int
    end: int
    itemsize: int

    @property
    def cells(self) -> int:
        return (self.end - self.begin) // self.itemsize


def _spans(every: list[Lying]) -> list[_Span]:
    """The memory of each array; of two in the same memory twice the same."""
    spans = [
        _Span(number, *each.memory, max(each.itemsize, 1))
        for number, each in enumerate(every)
    ]
    if len(spans) == 2 and len({each.device for each in every}) == 1:
        one, other = spans
        if other.begin < one.end and one.begin < other.end:
            begin, end = min(one.begin, other.begin), max(one.end, other.end)
            return [replace(one, begin=begin, end=end)] * 2
    return spans


def _counterpart(one: Seen, other: Seen, find: Finder) -> Index | None:
    """Which element of `other` the view shows beside the focus of `one`."""
    if one.focus is None or other.size == 0:
        return None
    if one.memory == other.memory:
        return find(one.cell_of(one.focus))
    if one.size == other.size and one.shape != other.shape:
        flat = np.ravel_multi_index(one.focus, one.shape) if one.shape else 0
        return tuple(int(each) for each in np.unravel_index(flat, other.shape))
    fits = one.shape == other.shape
    return one.focus if fits else _middle(other.shape)


def _steps(found: Lying, span: _Span) -> tuple[tuple[int, ...], int]:
    """Strides and start in cells."""
    size = max(found.itemsize, 1)
    lengths = (*found.strides, found.address - span.begin)
    if size != span.itemsize or any(each % size for each in lengths):
        raise ValueError(
            f"[viz.tensor] got elements of {size} bytes with strides {found.strides}, "
            f"in cells of {span.itemsize} bytes; need strides of whole cells. Try a "
            "copy of it."
        )
    cells = [each // size for each in lengths]
    return tuple(cells[:-1]), cells[-1]


def _seen(name: str, found: Lying, span: _Span, focus: Index | None) -> Seen:
    strides, start = _steps(found, span)
    window = _window(found.shape, focus)
    return Seen(
        name=name,
        shape=found.shape,
        strides=strides,
        start=start,
        dtype=found.dtype,
        device=found.device,
        memory=span.number,
        window=window,
        values=found.take(tuple(slice(each.start, each.stop) for each in window)),
        focus=focus,
    )


def _memory(span: _Span, pairs: list[tuple[Seen, Lying]]) -> Memory:
    inside = [pair for pair in pairs if pair[0].memory == span.number]
    cells = span.cells
    focus = _focus([array for array, _ in inside])
    first = max(0, min((focus or 0) - _SHOWN_CELLS // 2, cells - _SHOWN_CELLS))
    shown = range(first, min(first + _SHOWN_CELLS, cells))
    whole = all(array.size <= MOST_LOOKED_AT for array, _ in inside)
    owner = np.full(len(shown), NOBODY if whole else UNKNOWN)
    values: list[Any] = [None] * len(shown)
    for array, found in reversed(inside):
        ranges = looked_at(array)
        at = array.cells(ranges).reshape(-1) - first
        seen = np.nonzero((at >= 0) & (at < len(shown)))[0]
        owner[at[seen]] = rows_of(array, ranges).reshape(-1)[seen]
        content = found.take(tuple(slice(each.start, each.stop) for each in ranges))
        for one in seen.tolist():
            values[at[one]] = content.reshape(-1)[one]
    return Memory(
        cells, span.itemsize, shown, tuple(owner.tolist()), tuple(values), focus
    )


def _focus(inside: list[Seen]) -> int | None:
    """The cell of the first array that has an element in the focus."""
    for array in inside:
        if array.focus is not None:
            return array.cell_of(array.focus)
    return None


def places_of(values: list[Any], names: tuple[str, ...], index: Any = None) -> Places:
    """Find out where the elements of one or two arrays lie.

    Args:
        values: the arrays.
        names: of each.
        index: of the element of the first that the view is about; None: one that is
            some way into it.

    Raises:
        TypeError: no arrays, or an index that is none.
        IndexError: no such element.
        ValueError: elements that do not lie in whole cells.
    """
    every = [lying(value) for value in values]
    shape = every[0].shape
    focus = _middle(shape) if index is None else checked_index(index, shape)
    spans = _spans(every)
    first = _seen(names[0], every[0], spans[0], focus)
    pairs = [(first, every[0])]
    for name, found, span in zip(names[1:], every[1:], spans[1:], strict=True):
        plain = _seen(name, found, span, _middle(found.shape))
        own = _counterpart(first, plain, Finder(plain))
        there = _seen(name, found, span, own) if own is not None else plain
        pairs.append((replace(there, focus=own), found))
    return Places(
        tuple(array for array, _ in pairs),
        tuple(_memory(span, pairs) for span in dict.fromkeys(spans)),
    )


class Moves:
    """The same arrays, drawn alike, with another element in the focus.

    Args:
        places: of the arrays.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._find = [Finder(each) for each in places.arrays]

    def to(self, array: int, index: Index) -> Places:
        """With this element of this array."""
        places = self._places
        chosen = replace(places.arrays[array], focus=index)
        arrays = [
            chosen
            if at == array
            else replace(other, focus=_counterpart(chosen, other, self._find[at]))
            for at, other in enumerate(places.arrays)
        ]
        first = [chosen, *arrays]
        return Places(
            tuple(arrays),
            tuple(
                replace(memory, focus=_focus([e for e in first if e.memory == number]))
                for number, memory in enumerate(places.memories)
            ),
        )

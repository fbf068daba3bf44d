"""Which cells every thread touches, as columns.

A live picture answers for each of its threads without asking Python again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.accesses import ATOMIC, GLOBAL, READ, WRITE, Accesses
from ....cuda.inspecting.trace import LANES
from ...traces.arrays import Array
from ...traces.shared_sources import shared_sources

PASSED = 4  # beside the kinds of accesses; an atomic reads and writes: 1 + 2
MOST_THREADS = 4096
_MOST_OFFSETS = 100_000  # about 500 KB
NONE, UNKNOWN = 0, -1  # numbers of patterns

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class CellColumns:
    """Cells of one array, one row a thread: a pattern shifted to its first cell.

    Attributes:
        pattern: Number of the pattern; 0: no cell, -1: left out, as there is no room.
        first: The first cell, flat.
    """

    pattern: Ints
    first: Ints


@dataclass(frozen=True)
class ReuseColumns:
    """Reads, and different cells read, of each thread, warp or block."""

    reads: Ints
    cells: Ints


@dataclass(frozen=True)
class ThreadCells:
    """What the threads of consecutive blocks touch.

    Attributes:
        first_block, blocks: Which blocks.
        patterns: Offsets of cells from the first, in order of first use.
        touched: What each thread, its warp and its block touch: the cells of each
            array that they read, those that they write, and those that they read in
            shared memory, where a thread has put them.
        atomic: Whether the thread updates memory.
        reuse: Of threads, of warps, of blocks, of the grid.
    """

    first_block: int
    blocks: int
    patterns: tuple[Ints, ...]
    touched: tuple[tuple[tuple[CellColumns, ...], ...], ...]
    atomic: NDArray[np.bool_]
    reuse: tuple[ReuseColumns, ...]

    @property
    def reads(self) -> tuple[CellColumns, ...]:
        """What each thread reads of each array."""
        return self.touched[0][0]

    @property
    def writes(self) -> tuple[CellColumns, ...]:
        """What each thread writes of each array."""
        return self.touched[0][1]

    @property
    def known(self) -> int:
        """How many threads have all their cells here."""
        missing = np.zeros(len(self.atomic), bool)
        for each in (*self.reads, *self.writes):
            missing |= each.pattern == UNKNOWN
        return int((~missing).sum())


class _Patterns:
    """Different offsets, numbered, as long as there is room."""

    def __init__(self) -> None:
        self.all: list[Ints] = [np.zeros(0, np.int64)]
        self._numbers: dict[bytes, int] = {b"": NONE}
        self._room = _MOST_OFFSETS

    def number(self, offsets: Ints) -> int:
        found = self._numbers.get(offsets.tobytes())
        if found is not None:
            return found
        if len(offsets) > self._room:
            return UNKNOWN
        self._room -= len(offsets)
        self._numbers[offsets.tobytes()] = len(self.all)
        self.all.append(offsets)
        return len(self.all) - 1


def _columns(
    owner: Ints, cell: Ints, threads: int, order: Iterable[int], patterns: _Patterns
) -> CellColumns:
    """Each thread's different cells in order of first use."""
    size = int(cell.max(initial=0)) + 1
    kept = np.sort(np.unique(owner * size + cell, return_index=True)[1])
    owner, cell = owner[kept], cell[kept]
    by_thread = np.argsort(owner, kind="stable")
    owner, cell = owner[by_thread], cell[by_thread]
    ends = np.searchsorted(owner, np.arange(threads + 1))
    pattern, first = np.zeros(threads, np.int64), np.zeros(threads, np.int64)
    for thread in order:
        mine = cell[ends[thread] : ends[thread + 1]]
        if len(mine):
            first[thread] = mine[0]
            pattern[thread] = patterns.number(mine - mine[0])
    return CellColumns(pattern, first)


def _reuse(group: Ints, address: Ints, groups: int) -> ReuseColumns:
    places, at = np.unique(address, return_inverse=True)
    pairs = np.unique(group * max(len(places), 1) + at) // max(len(places), 1)
    return ReuseColumns(
        np.bincount(group, minlength=groups), np.bincount(pairs, minlength=groups)
    )


def with_passed(every: Accesses) -> Accesses:
    """Return accesses to global memory, then reads of its numbers in shared memory.

    These are rows of kind `PASSED`, with the address in global memory from which the
    thread that wrote to the shared cell had loaded the number.
    """
    loaded, wrote, _ = shared_sources(every)
    (read,) = np.nonzero(wrote >= 0)
    source = loaded[wrote[read]]
    read, source = read[source >= 0], source[source >= 0]
    (rows,) = np.nonzero(every.space == GLOBAL)
    found = every.where(np.concatenate([rows, source]))
    found.thread[len(rows) :] = every.thread[read]
    found.kind[len(rows) :] = PASSED
    return found


def thread_cells(
    every: Accesses, arrays: Iterable[Array], blocks: int, size: int, middle: int
) -> ThreadCells:
    """Columns of what threads touch, for as many blocks as give `MOST_THREADS`.

    Args:
        every: Of `with_passed`.
        arrays: Where cells lie.
        blocks: How many there are in the grid.
        size: Threads of a block.
        middle: A block that is included, with others on both sides of it.
    """
    count = min(blocks, max(1, MOST_THREADS // size))
    start = max(0, min(middle - count // 2, blocks - count))
    read = every.address[every.kind & READ > 0]
    grid = _reuse(np.zeros(len(read), np.int64), read, 1)
    every = every.where((every.block >= start) & (every.block < start + count))
    owner = (every.block - start) * size + every.thread
    threads = count * size
    every_thread, warps = np.arange(threads), -(-size // LANES)
    near = np.abs(every_thread // size - (middle - start))
    patterns, touched = _Patterns(), []
    cells = [array.cells_at(every.address) for array in arrays]
    warp_of = every_thread // size * warps + every_thread % size // LANES
    for group in (every_thread, warp_of, every_thread // size):
        order = list(dict.fromkeys(group[np.argsort(near, kind="stable")].tolist()))
        ways = []
        for way in (READ, WRITE, PASSED):
            found = []
            for cell in cells:
                mine = (cell >= 0) & (every.kind & way > 0)
                own = _columns(
                    group[owner[mine]], cell[mine], len(order), order, patterns
                )
                found.append(CellColumns(own.pattern[group], own.first[group]))
            ways.append(tuple(found))
        touched.append(tuple(ways))
    reading = every.kind & READ > 0
    reader, address = owner[reading], every.address[reading]
    return ThreadCells(
        first_block=start,
        blocks=count,
        patterns=tuple(patterns.all),
        touched=tuple(touched),
        atomic=np.bincount(owner[every.kind == ATOMIC], minlength=threads) > 0,
        reuse=(
            _reuse(reader, address, threads),
            _reuse(warp_of[reader], address, count * warps),
            _reuse(reader // size, address, count),
            grid,
        ),
    )


def spelled_cells(name: str, shape: tuple[int, ...], cells: Ints) -> str:
    """Return cells in words: one cell, rows, columns, a box, or their number.

    Example:
        >>> row = np.arange(16, 24)
        >>> spelled_cells("A", (4, 8), row), spelled_cells("A", (4, 8), row[:3])
        ('row 2 of A', 'A[2, 0–2]')
    """
    places = np.stack(np.unravel_index(cells, shape), axis=-1)
    low, high = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    spans = list(zip(low, high, strict=True))
    sizes = [last - first + 1 for first, last in spans]
    if len(cells) != math.prod(sizes):
        return f"{len(cells):,} cells of {name}"
    index = [f"{first}–{last}" if first < last else f"{first}" for first, last in spans]
    if len(shape) == 2 and len(cells) > 1:
        for axis, what in enumerate(("row", "column")):
            if sizes[1 - axis] == shape[1 - axis]:
                many = "s" * (sizes[axis] > 1)
                return f"{what}{many} {index[axis]} of {name}"
    return f"{name}[{', '.join(index)}]"

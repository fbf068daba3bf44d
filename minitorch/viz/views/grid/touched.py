"""The numbers of the grid view: which cells of which array threads touch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.trace import LANES
from ...traces.arrays import Array, arrays_of, named_arrays
from ...traces.faults import Fault, fault_of
from ...traces.launches import (
    GLOBAL,
    READ,
    WRITE,
    Accesses,
    Place,
    accesses_of,
    number_of,
    place_of,
    require_trace,
)
from .thread_cells import ThreadCells, thread_cells

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Touched:
    """What the focused thread does to one array, and which block wrote its cells.

    Attributes:
        array: Which.
        reads, writes: (n, ndim) different cells of the thread, in order of first use.
        writer: For each cell the number of the block that wrote it last, -1 for none.
    """

    array: Array
    reads: Cells
    writes: Cells
    writer: NDArray[np.int64]


@dataclass(frozen=True)
class Reuse:
    """How often a group of threads reads: `who`, reads in all, different cells."""

    who: str
    reads: int
    cells: int


@dataclass(frozen=True)
class GridData:
    """What the grid view shows.

    Attributes:
        grid, block: The launch's shape, (x, y, z).
        at_block, at_thread: The focused thread.
        arrays: What it touches.
        reuse: Of the thread, its warp, its block and the grid.
        kinds: How arrays are used: `COLUMN`, `ROW`, `MIXED` or `WRITTEN`. A thread near
            the middle tells, whichever is focused, so that pictures have one order.
        threads: The same for every thread near the focused one.
        fault: What ended the kernel, or None.
    """

    grid: Place
    block: Place
    at_block: Place
    at_thread: Place
    arrays: tuple[Touched, ...]
    reuse: tuple[Reuse, ...]
    kinds: tuple[int, ...]
    threads: ThreadCells
    fault: Fault | None = None


COLUMN, ROW, MIXED, WRITTEN = range(4)


def _unique(cells: NDArray[np.int64], shape: tuple[int, ...]) -> Cells:
    kept = cells[np.sort(np.unique(cells, return_index=True)[1])]
    return np.stack(np.unravel_index(kept, shape), axis=-1).astype(np.int64)


def _kind(array: Array, every: Accesses, mine: NDArray[np.bool_]) -> int:
    """Whether an array is read down a column, along a row, at will, or written."""
    cell = array.cells_at(every.address)
    if ((cell >= 0) & (every.kind != READ)).any():
        return WRITTEN
    reads = _unique(cell[(cell >= 0) & mine], array.shape)
    if len(array.shape) != 2 or len(reads) < 2:
        return MIXED
    if (reads[:, 1] == reads[0, 1]).all():
        return COLUMN
    return ROW if (reads[:, 0] == reads[0, 0]).all() else MIXED


def _touched(array: Array, every: Accesses, mine: NDArray[np.bool_]) -> Touched:
    cell = array.cells_at(every.address)
    inside, reads = cell >= 0, every.kind == READ
    writer = np.full(int(np.prod(array.shape)), -1, np.int64)
    written = inside & ~reads
    writer[cell[written]] = every.block[written]
    return Touched(
        array=array,
        reads=_unique(cell[inside & mine & (every.kind != WRITE)], array.shape),
        writes=_unique(cell[written & mine], array.shape),
        writer=writer.reshape(array.shape),
    )


def _reuse(every: Accesses, block: int, thread: int) -> tuple[Reuse, ...]:
    reads = every.where(every.kind != WRITE)
    own = reads.block == block
    warp = reads.thread // LANES == thread // LANES
    groups = (
        ("one thread", own & (reads.thread == thread)),
        ("one warp", own & warp),
        ("one block", own),
        ("the grid", np.ones(len(reads), bool)),
    )
    return tuple(
        Reuse(who, int(group.sum()), len(np.unique(reads.address[group])))
        for who, group in groups
    )


def _middle(every: Accesses, block: int | None) -> tuple[int, int]:
    """A thread near the middle of those that touch memory: (block, thread)."""
    own = every if block is None else every.where(every.block == block)
    if not len(own):
        return block or 0, 0
    blocks = np.unique(own.block)
    middle = int(blocks[len(blocks) // 2])
    threads = np.unique(own.thread[own.block == middle])
    return middle, int(threads[len(threads) // 2])


def grid_data(
    launch: Any, thread: Any = None, block: Any = None, arrays: Any = None
) -> GridData:
    """Find out which cells one thread reads and writes.

    Args:
        launch: With a trace.
        thread: Its number in its block, or (x, y, z); None: one near the middle.
        block: Its block's number, or (x, y, z).
        arrays: Names and device arrays; None: those that the launch was given.

    Raises:
        ValueError: No trace.
        IndexError: No such thread or block.
        TypeError: Not a launch, or arrays that are none.
    """
    trace = require_trace(launch, "grid")
    every = accesses_of(trace)
    every = every.where(every.space == GLOBAL)
    at = None if block is None else number_of(block, launch.grid, "block", "grid")
    fault = fault_of(launch)
    if fault is not None and at in (None, fault.block):
        chosen, middle = fault.block, fault.thread
    else:
        chosen, middle = _middle(every, at)
    if thread is not None:
        middle = number_of(thread, launch.block, "thread", "grid")
    mine = (every.block == chosen) & (every.thread == middle)
    telling = _middle(every, None)
    tells = (every.block == telling[0]) & (every.thread == telling[1])
    known = arrays_of(launch, every) if arrays is None else named_arrays(arrays)
    return GridData(
        grid=launch.grid,
        block=launch.block,
        at_block=place_of(chosen, launch.grid),
        at_thread=place_of(middle, launch.block),
        arrays=tuple(_touched(array, every, mine) for array in known),
        reuse=_reuse(every, chosen, middle),
        kinds=tuple(_kind(array, every, tells) for array in known),
        threads=thread_cells(
            every, known, math.prod(launch.grid), math.prod(launch.block), chosen
        ),
        fault=fault,
    )

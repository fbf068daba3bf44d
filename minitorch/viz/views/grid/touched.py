"""The numbers of the grid view: which cells of which array threads touch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Launch
from ....cuda.inspecting.accesses import GLOBAL, READ, Accesses, accesses_of
from ...scene.code_view import lines_of
from ...traces.arrays import Array, arrays_of, named_arrays
from ...traces.faults import Fault, fault_of
from ...traces.launches import Place, number_of, place_of, require_trace
from .accesses import InOrder, in_order
from .thread_cells import ThreadCells, thread_cells, with_passed


@dataclass(frozen=True)
class Touched:
    """An array, and for each cell the number of the block that wrote it last, or -1."""

    array: Array
    writer: NDArray[np.int64]


@dataclass(frozen=True)
class GridData:
    """What the grid view shows.

    Attributes:
        grid, block: The launch's shape, (x, y, z).
        at_block, at_thread: The focused thread.
        arrays: What it touches.
        kinds: How arrays are used: `COLUMN`, `ROW`, `MIXED` or `WRITTEN`. A thread near
            the middle tells, whichever is focused, so that pictures have one order.
        threads: What every thread near the focused one touches.
        order: What they access one after the other.
        lines: The kernel's text; empty where nobody has it.
        sizes: Of arrays, and numbers that the kernel was given, as its text has them.
        fault: What ended the kernel, or None.
    """

    grid: Place
    block: Place
    at_block: Place
    at_thread: Place
    arrays: tuple[Touched, ...]
    kinds: tuple[int, ...]
    threads: ThreadCells
    order: InOrder
    lines: list[str]
    sizes: dict[str, Any]
    fault: Fault | None = None


COLUMN, ROW, MIXED, WRITTEN = range(4)


def _kind(array: Array, every: Accesses, mine: NDArray[np.bool_]) -> int:
    """Whether an array is read down a column, along a row, at will, or written."""
    cell = array.cells_at(every.address)
    if ((cell >= 0) & (every.kind != READ)).any():
        return WRITTEN
    reads = np.unique(cell[(cell >= 0) & mine])
    if len(array.shape) != 2 or len(reads) < 2:
        return MIXED
    rows, columns = np.unravel_index(reads, array.shape)
    if not np.ptp(columns):
        return COLUMN
    return MIXED if np.ptp(rows) else ROW


def _touched(array: Array, every: Accesses) -> Touched:
    cell, writer = array.cells_at(every.address), np.full(array.count, -1)
    written = (cell >= 0) & (every.kind != READ)
    writer[cell[written]] = every.block[written]
    return Touched(array, writer.reshape(array.shape))


def _middle(every: Accesses, block: int | None) -> tuple[int, int]:
    """A thread near the middle of those that touch memory: (block, thread)."""
    own = every if block is None else every.where(every.block == block)
    if not len(own):
        return block or 0, 0
    blocks = np.unique(own.block)
    middle = int(blocks[len(blocks) // 2])
    threads = np.unique(own.thread[own.block == middle])
    return middle, int(threads[len(threads) // 2])


def _sizes(launch: Launch) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in launch.arguments:
        if each.is_array:
            found[f"{each.name}.size"] = math.prod(each.shape)
            for axis, size in enumerate(each.shape):
                found[f"{each.name}.shape[{axis}]"] = size
        else:
            found[each.name] = each.value
    return found


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
    size = math.prod(launch.block)
    passed = with_passed(every)
    every = every.where(every.space == GLOBAL)
    at = None if block is None else number_of(block, launch.grid, "block", "grid")
    fault = fault_of(launch)
    if fault is not None and at in (None, fault.block):
        chosen, middle = fault.block, fault.thread
    else:
        chosen, middle = _middle(every, at)
    if thread is not None:
        middle = number_of(thread, launch.block, "thread", "grid")
    telling = _middle(every, None)
    tells = (every.block == telling[0]) & (every.thread == telling[1])
    known = arrays_of(launch, every) if arrays is None else named_arrays(arrays)
    threads = thread_cells(passed, known, math.prod(launch.grid), size, chosen)
    lines = lines_of(None, launch.source_file or str(trace.file[0]), launch.source)
    focus = (chosen - threads.first_block) * size + middle
    return GridData(
        grid=launch.grid,
        block=launch.block,
        at_block=place_of(chosen, launch.grid),
        at_thread=place_of(middle, launch.block),
        arrays=tuple(_touched(array, every) for array in known),
        kinds=tuple(_kind(array, every, tells) for array in known),
        threads=threads,
        order=in_order(launch, every, known, threads, lines, focus),
        lines=lines,
        sizes=_sizes(launch),
        fault=fault,
    )

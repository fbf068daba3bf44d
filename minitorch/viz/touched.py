"""Owns the numbers of the grid view: which cells of which array threads touch.

Must not know pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cuda import Trace
from ..cuda.trace import LANES
from .launches import (
    ATOMIC,
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

_GAP = 256  # bytes between two arrays, at least, where nobody names them
_MOST_CELLS = 1 << 22

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Array:
    """An array of the launch, as the view looks for it in memory.

    Attributes:
        name: As people call it.
        shape: Its sizes.
        address: Of each cell, flat, in C order.
        size: Bytes of a cell.
        values: Its content now, or None.
    """

    name: str
    shape: tuple[int, ...]
    address: NDArray[np.int64]
    size: int
    values: NDArray[Any] | None

    def cells_at(self, address: NDArray[np.int64]) -> NDArray[np.int64]:
        """Flat numbers of the cells that hold addresses; -1 where none does."""
        order = np.argsort(self.address, kind="stable")
        starts = self.address[order]
        at = np.searchsorted(starts, address, side="right") - 1
        inside = (at >= 0) & (address < starts[at] + self.size)
        return np.where(inside, order[at], -1)


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
        updates: Whether a thread's writes are atomic.
    """

    grid: Place
    block: Place
    at_block: Place
    at_thread: Place
    arrays: tuple[Touched, ...]
    reuse: tuple[Reuse, ...]
    updates: bool


def _named(arrays: Any) -> list[Array]:
    if not isinstance(arrays, Mapping):
        raise TypeError(
            f"[viz.grid] got arrays {type(arrays).__name__}; need a dict of names and "
            "device arrays, such as {'a': a, 'b': b}."
        )
    return [_array(str(name), value) for name, value in arrays.items()]


def _array(name: str, value: Any) -> Array:
    try:
        pointer, shape = int(value.pointer), tuple(value.shape)
        strides, dtype = tuple(value.strides), np.dtype(value.dtype)
    except (AttributeError, TypeError):
        raise TypeError(
            f"[viz.grid] got {name!r}: {type(value).__name__}; need a device array, as "
            "cuda.to_device gives it."
        ) from None
    count = int(np.prod(shape, dtype=np.int64))
    if not 0 < count <= _MOST_CELLS:
        raise ValueError(
            f"[viz.grid] got {name!r} of {count} cells; need 1 to {_MOST_CELLS:,}."
        )
    steps = np.indices(shape or (1,)).reshape(max(len(shape), 1), -1)
    address = pointer + np.array(strides or (0,), np.int64) @ steps
    host = np.asarray(value.copy_to_host()).reshape(shape or (1,))
    return Array(name, shape or (1,), address, dtype.itemsize, host)


def _pointers(trace: Trace) -> NDArray[np.int64]:
    """What the kernel's parameters hold that may be the start of an array."""
    columns = trace.columns
    steps = columns["result_step"].astype(np.int64)
    loads = np.char.startswith(trace.opcode[steps], "ld.param")
    return np.unique(columns["result_value"][loads].astype(np.int64))


def _found(trace: Trace, every: Accesses) -> list[Array]:
    """Arrays that nobody named: stretches of memory without a gap.

    Each begins where a parameter of the kernel points, else at its first access. They
    are numbered as the launch first touches them: addresses differ from run to run.
    """
    if not len(every):
        return []
    order = np.argsort(every.address, kind="stable")
    address, size = every.address[order], every.size[order]
    pointers = _pointers(trace)
    own = np.searchsorted(pointers, address, side="right")
    apart = np.diff(address, prepend=address[0] - _GAP) >= _GAP
    starts = np.nonzero(apart | (np.diff(own, prepend=-1) != 0))[0]
    stretches = list(zip(starts, [*starts, len(address)][1:], strict=True))
    arrays: list[Array] = []
    for start, end in sorted(stretches, key=lambda each: order[slice(*each)].min()):
        step = int(size[start:end].min())
        first, last = int(address[start]), int((address + size)[start:end].max())
        near = pointers[own[start] - 1] if own[start] else 0
        if 0 <= first - near < _GAP and (first - near) % step == 0:
            first = int(near)
        count = min((last - first) // step, _MOST_CELLS)
        cells = first + step * np.arange(count)
        name = f"array {len(arrays) + 1}"
        arrays.append(Array(name, (count,), cells, step, None))
    return arrays


def _unique(cells: NDArray[np.int64], shape: tuple[int, ...]) -> Cells:
    kept = cells[np.sort(np.unique(cells, return_index=True)[1])]
    return np.stack(np.unravel_index(kept, shape), axis=-1).astype(np.int64)


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
        arrays: Names and device arrays; None: stretches of memory, numbered.

    Raises:
        ValueError: No trace.
        IndexError: No such thread or block.
        TypeError: Not a launch, or arrays that are none.
    """
    trace = require_trace(launch, "grid")
    every = accesses_of(trace)
    every = every.where(every.space == GLOBAL)
    at = None if block is None else number_of(block, launch.grid, "block", "grid")
    chosen, middle = _middle(every, at)
    if thread is not None:
        middle = number_of(thread, launch.block, "thread", "grid")
    mine = (every.block == chosen) & (every.thread == middle)
    known = _found(trace, every) if arrays is None else _named(arrays)
    return GridData(
        grid=launch.grid,
        block=launch.block,
        at_block=place_of(chosen, launch.grid),
        at_thread=place_of(middle, launch.block),
        arrays=tuple(_touched(array, every, mine) for array in known),
        reuse=_reuse(every, chosen, middle),
        updates=bool((every.kind[mine] == ATOMIC).any()),
    )

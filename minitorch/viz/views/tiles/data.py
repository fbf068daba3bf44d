"""The numbers of the tiles view: how often numbers are fetched, and who shares them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....cuda import Launch
from ....cuda.inspecting.accesses import (
    GLOBAL,
    READ,
    WRITE,
    Accesses,
    Bools,
    Ints,
    accesses_of,
)
from ...scene.drawing import shortened
from ...traces.arrays import Array, arrays_of
from ...traces.launches import require_trace
from ...traces.shared_sources import shared_sources

_MOST_ARRAYS, _MOST_STATES = 3, 1 << 21


@dataclass(frozen=True)
class Source:
    """An array that the launch reads.

    Attributes:
        array: It.
        block, thread, cell: Of each load from global memory.
        round: How often the shared cell that the number went to had been written
            before in its block; 0 for a number that is not shared.
        uses: Reads of the number from shared memory before another one takes its
            place there; 1 for a number that is not shared.
        shared: Whether it went to shared memory.
    """

    array: Array
    block: Ints
    thread: Ints
    cell: Ints
    round: Ints
    uses: Ints
    shared: Bools

    @property
    def fetched(self) -> Ints:
        """How often each cell is loaded."""
        return np.bincount(self.cell, minlength=math.prod(self.array.shape))

    def mean(self, count: int) -> float:
        """Return a count for each cell that is read."""
        return count / len(np.unique(self.cell))


@dataclass(frozen=True)
class Tiles:
    """Arrays that a launch reads, those fetched most first, and the first it writes.

    That has for each cell the block that wrote it last, -1 for none.
    """

    launch: Launch
    sources: tuple[Source, ...]
    written: tuple[Array, Ints] | None

    @property
    def blocks(self) -> int:
        """Of the grid."""
        return math.prod(self.launch.grid)

    @property
    def rounds(self) -> int:
        """How often a block fills its tiles."""
        return 1 + max(int(source.round.max(initial=0)) for source in self.sources)


def _shared_loads(every: Accesses) -> tuple[Ints, Ints]:
    """For each load from global memory its round and uses; -1: it is not shared."""
    loaded, wrote, turn = shared_sources(every)
    rounds, stores = np.full(len(every), -1), loaded >= 0
    rounds[loaded[stores]] = turn[stores]
    used = loaded[wrote[wrote >= 0]]
    counts = np.bincount(used[used >= 0], minlength=len(every))
    return rounds, np.where(rounds >= 0, counts, -1)


def tiles_data(launch: Any) -> Tiles:
    """Find out how often a launch fetches the numbers that it reads.

    Raises:
        TypeError: Not a launch.
        ValueError: No trace, or nothing of global memory is read.
    """
    every = accesses_of(require_trace(launch, "tiles"))
    outside = every.space == GLOBAL
    loads = outside & (every.kind == READ)
    if not loads.any():
        raise ValueError(
            f"[viz.tiles] {shortened(launch.kernel)} reads no global memory, so there "
            "are no tiles to show."
        )
    rounds, uses = _shared_loads(every)
    sources, written = [], None
    for array in arrays_of(launch, every.where(outside)):
        cell = np.where(outside, array.cells_at(every.address), -1)
        mine = loads & (cell >= 0)
        if mine.any():
            shared = rounds[mine] >= 0
            sources.append(Source(
                array, every.block[mine], every.thread[mine], cell[mine],
                np.maximum(rounds[mine], 0), np.where(shared, uses[mine], 1), shared,
            ))  # fmt: skip
        stores = (cell >= 0) & (every.kind == WRITE)
        if stores.any() and written is None:
            written = array, np.full(math.prod(array.shape), -1)
            written[1][cell[stores]] = every.block[stores]
    sources.sort(key=lambda source: -len(source.cell))
    found = Tiles(launch, tuple(sources[:_MOST_ARRAYS]), written)
    cells = max(math.prod(each.array.shape) for each in found.sources)
    if found.blocks * found.rounds * cells > _MOST_STATES:
        raise ValueError(
            f"[viz.tiles] the launch has {found.blocks:,} blocks, {found.rounds:,} "
            f"rounds and {cells:,} numbers; their product must be at most "
            f"{_MOST_STATES:,}. Use a smaller launch."
        )
    return found

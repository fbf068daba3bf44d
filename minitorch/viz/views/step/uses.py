"""What the threads of one block did to arrays and variables, as columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Launch, Trace
from ....cuda.inspecting.accesses import GLOBAL, Accesses
from ....cuda.inspecting.trace import LANES
from ....cuda.inspecting.variables import typed_lanes
from ...figure.scenes import Interned
from ...scene.drawing import shortened
from ...traces.arrays import Array, arrays_of
from ...traces.shared_names import located, shared_arrays_of

Columns = NDArray[Any]


@dataclass(frozen=True)
class Uses:
    """One row for each lane of each access of the block, in order.

    Attributes:
        row: Of the trace.
        thread: Number in the block.
        array, cell: Number of the array and of its cell.
        kind: As in the trace: read, write, atomic.
        value: Number of the value's words.
    """

    row: Columns
    thread: Columns
    array: Columns
    cell: Columns
    kind: Columns
    value: Columns

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Changes:
    """Variables of the block's threads: one row for each time one is set.

    Attributes:
        names: Of the variables.
        row, warp, name: Row of the trace, and numbers of the warp and the name.
        mask: Bits of the lanes that set it.
        value: (changes, 32) numbers of the values' words.
    """

    names: tuple[str, ...]
    row: Columns
    warp: Columns
    name: Columns
    mask: Columns
    value: Columns


def _global(launch: Launch, every: Accesses) -> list[Array]:
    own = every.where(every.space == GLOBAL)
    return [replace(each, name=shortened(each.name, 24))
            for each in arrays_of(launch, own)]  # fmt: skip


def uses_of(
    launch: Launch, every: Accesses, block: int, lines: list[str], words: Interned
) -> tuple[list[Array], Uses]:
    """What the block's threads read and wrote, by array and cell.

    Args:
        launch: With a trace.
        every: Its accesses.
        block: Number of the block.
        lines: Of the kernel's text.
        words: Gets the values.
    """
    trace = launch.trace
    own = every.where(every.block == block)
    arrays = shared_arrays_of(launch, trace, own, lines) + _global(launch, every)
    array, cell, value, _ = located(own, arrays, trace, words)
    known = array >= 0
    columns = (own.step, own.thread, array, cell, own.kind, value)
    return arrays, Uses(*(each[known] for each in columns))


def changes_of(trace: Trace, block: int, words: Interned) -> Changes:
    """The variables by the names of the kernel's text; none of a normal build.

    Args:
        trace: Of the launch.
        block: Number of the block.
        words: Gets the values.
    """
    found = trace.variables(block)
    names = tuple(dict.fromkeys(found.names))
    value = np.zeros(found.values.shape, np.int64)
    for number_, dtype in enumerate(found.dtypes):
        own = found.name == number_
        value[own] = words.values(typed_lanes(found.values[own], dtype))
    places = np.array([names.index(each) for each in found.names], np.int64)
    return Changes(
        names=names,
        row=found.step,
        warp=found.warp,
        name=places[found.name],
        mask=(found.written.astype(np.int64) << np.arange(LANES)).sum(axis=1),
        value=value,
    )

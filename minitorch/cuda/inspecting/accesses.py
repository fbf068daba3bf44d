"""Accesses of a trace, one row for each lane of each access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .trace import LANES, Trace, lanes_of

GLOBAL, SHARED, LOCAL = 1, 2, 3  # of the trace's column `access_space`: MtSpace
READ, WRITE, ATOMIC = 1, 2, 3  # of `access_kind`: MtAccess

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """Columns of equal length."""

    step: Ints

    def where(self, wanted: Bools | Ints) -> Self:
        """Return only these rows, in this order."""
        columns = vars(self).items()
        return type(self)(**{name: column[wanted] for name, column in columns})

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True)
class Accesses(Rows):
    """One row for each lane of each access of a launch, in order of steps.

    Attributes:
        step: of the trace.
        block: number of the block.
        thread: number in the block.
        kind, space: as in the trace.
        address: of the first byte; global, or an offset into shared or local memory.
        size: in bytes.
        value: bits that lie there after the step.
        element: number of the operand of a vector.
    """

    block: Ints
    thread: Ints
    kind: NDArray[np.uint8]
    space: NDArray[np.uint8]
    address: Ints
    size: Ints
    value: NDArray[np.uint64]
    element: Ints

    def touches(self, finding: Any) -> Bools:
        """Return which of them use the memory that a finding is about."""
        address, size = finding.address or 0, finding.size or 1
        inside = self.space == (SHARED if finding.space == "shared" else GLOBAL)
        inside &= (self.address < address + size) & (self.address + self.size > address)
        return np.asarray(inside)


def accesses_of(
    trace: Trace,
    spaces: tuple[int, ...] = (GLOBAL, SHARED),
    kinds: tuple[int, ...] = (READ, WRITE, ATOMIC),
) -> Accesses:
    """Return the accesses of these kinds to memory in these spaces."""
    columns = trace.columns
    wanted = np.isin(columns["access_space"], spaces)
    rows = np.nonzero(wanted & np.isin(columns["access_kind"], kinds))[0]
    row, lane = np.nonzero(lanes_of(columns["access_mask"][rows]))
    row = rows[row]
    step = columns["access_step"][row].astype(np.int64)
    return Accesses(
        step=step,
        block=trace.block[step].astype(np.int64),
        thread=trace.warp[step].astype(np.int64) * LANES + lane,
        kind=columns["access_kind"][row],
        space=columns["access_space"][row],
        address=columns["access_address"][row, lane].astype(np.int64),
        size=columns["access_size"][row].astype(np.int64),
        value=columns["access_value"][row, lane],
        element=columns["access_element"][row].astype(np.int64),
    )

"""Owns the cells of races: all that race on the same two lines, and who uses each.

Must not know pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cuda import Finding, Launch, Trace
from .launches import SHARED, Accesses, accesses_of
from .races import (
    RaceData,
    before,
    check_number,
    findings_of,
    in_block,
    race_at,
    side_at,
)

_MOST_RACES, _MOST_CELLS = 4, 32


@dataclass(frozen=True)
class Race:
    """One finding, as its own cell and at the other cells that race alike.

    Attributes:
        number: Among the launch's races.
        data: The finding's own cell and threads.
        at: For the number of each cell its threads; at most 32 cells.
    """

    number: int
    data: RaceData
    at: dict[int, RaceData]

    @property
    def first(self) -> int:
        """The number of the finding's own cell."""
        return own_cell(self.data)


def own_cell(data: RaceData) -> int:
    """The number in its array of the cell that a race is about; 0 where unknown."""
    spelled = data.cell.rpartition("[")[2].rstrip("]")
    return int(spelled) if spelled.isdigit() else 0


def _phases(trace: Trace) -> NDArray[np.int64]:
    """How many barriers each step's warp has passed."""
    barrier = np.char.startswith(trace.opcode, "bar")
    phase = np.zeros(len(trace), np.int64)
    warp = trace.block.astype(np.int64) << 32 | trace.warp
    for each in np.unique(warp):
        own = warp == each
        phase[own] = np.cumsum(barrier[own])
    return phase


def _pairs(
    trace: Trace, every: Accesses, pair: tuple[int | None, int | None], base: int
) -> dict[int, tuple[int, int]]:
    """Cells that different threads use on these two lines between the same barriers.

    Returns:
        For the number of each cell the rows of a write and of another access.
    """
    one, two = pair
    if one is None or two is None:
        return {}
    phase, line = _phases(trace)[every.step], trace.line[every.step]
    uses = []
    for row in (one, two):
        like = (line == line[row]) & (every.kind == every.kind[row])
        like &= (every.space == every.space[row]) & (phase == phase[row])
        if every.space[row] == SHARED:
            like &= every.block == every.block[row]
        uses.append(np.nonzero(like)[0].tolist())
    address, thread = every.address.tolist(), every.thread.tolist()
    block = every.block.tolist()
    writers: dict[int, list[int]] = {}
    for row in uses[0]:
        writers.setdefault(address[row], []).append(row)
    found: dict[int, tuple[int, int]] = {}
    for row in uses[1]:
        cell = (address[row] - base) // int(every.size[one])
        for writer in writers.get(address[row], ()) if cell not in found else ():
            if (block[writer], thread[writer]) != (block[row], thread[row]):
                found[cell] = (writer, row)
                break
    return dict(sorted(found.items()))


def _near(own: int, cells: list[int]) -> list[int]:
    """The finding's own cell, and those around it."""
    if own not in cells:
        return [own, *cells[: _MOST_CELLS - 1]]
    last = max(len(cells) - _MOST_CELLS, 0)
    start = max(0, min(cells.index(own) - _MOST_CELLS // 2, last))
    return cells[start : start + _MOST_CELLS]


def _look(
    launch: Launch, trace: Trace, every: Accesses, number: int, finding: Finding
) -> Race:
    data, rows, base = race_at(launch, trace, every, finding)
    pairs = _pairs(trace, every, rows, base)
    data = replace(data, cells=tuple(pairs))
    own, at = own_cell(data), {}
    # Without the array's name nobody knows what to call the others.
    cells = _near(own, list(pairs)) if data.array else [own]
    for cell in cells:
        if cell == own:
            at[cell] = data
            continue
        writer, other = (
            side_at(launch, trace, every, row, side.line)
            for row, side in zip(pairs[cell], (data.writer, data.other), strict=True)
        )
        same = writer.block == other.block
        at[cell] = replace(
            data,
            cell=f"{data.array}[{cell}]",
            writer=in_block(writer, launch, same),
            other=in_block(other, launch, same),
            before=before(trace, every, pairs[cell][0]),
            same_block=same,
            same_warp=same and writer.who == other.who,
        )
    return Race(number, data, dict(sorted(at.items())))


def races_of(launch: Any, number: int = 0) -> tuple[Race, ...]:
    """Look at one race of a launch, and at others to choose from.

    Args:
        launch: With a trace and a finding that is a race.
        number: Which of its races, from 0.

    Returns:
        The wanted one among the first ones of its file, at most four.

    Raises:
        ValueError: No trace, or no race.
        IndexError: Fewer races than that.
        TypeError: Not a launch, or no number.
    """
    trace = check_number(launch, number)
    found, every = findings_of(launch), accesses_of(trace)
    wanted = range(min(len(found), _MOST_RACES))
    numbers = wanted if number in wanted else [*wanted[:-1], number]
    file = _file(found[number])
    alike = [at for at in numbers if _file(found[at]) == file]
    return tuple(_look(launch, trace, every, at, found[at]) for at in alike)


def _file(finding: Finding) -> str:
    return finding.site.file or "" if finding.site else ""


def race_data(launch: Any, number: int = 0) -> RaceData:
    """One race of a launch; see `races_of`."""
    check_number(launch, number)
    races = races_of(launch, number)
    return next(each.data for each in races if each.number == number)

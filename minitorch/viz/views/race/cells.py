"""The cells of races: all that race on the same two lines, and who uses each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ....cuda import Finding, Launch
from ...traces.launches import SHARED, Accesses, accesses_of
from .order import ProgramOrder, Rows
from .races import (
    RaceData,
    before,
    check_number,
    findings_of,
    in_block,
    own_cell,
    race_at,
    side_at,
    with_ran,
)
from .ran import Ran
from .results import Ends

_MOST_RACES, _MOST_CELLS = 4, 32
_Found = dict[int, tuple[int, int]]


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


def _pairs(every: Accesses, order: ProgramOrder, pair: Rows, base: int) -> _Found:
    """Cells that different threads use on these two lines between the same barriers.

    Returns:
        For the number of each cell the rows of a write and of another access, which the
        program means to come in the same order as the pair.
    """
    one, two = pair
    if one is None or two is None:
        return {}
    uses, number = [], order.stretches.number[every.step]
    for row in (one, two):
        rows = order.uses(row)
        like = number[rows] == number[row]
        if every.space[row] == SHARED:
            like &= every.block[rows] == every.block[row]
        uses.append(rows[like].tolist())
    address, thread = every.address.tolist(), every.thread.tolist()
    block, early = every.block.tolist(), order.is_first(one, two)
    writers: dict[int, list[int]] = {}
    for row in uses[0]:
        writers.setdefault(address[row], []).append(row)
    found: _Found = {}
    for row in uses[1]:
        cell = (address[row] - base) // int(every.size[one])
        for writer in writers.get(address[row], ()) if cell not in found else ():
            if (block[writer], thread[writer]) == (block[row], thread[row]):
                continue
            if block[writer] != block[row] or (
                order.is_first(writer, row) == early and not order.apart(writer, row)
            ):
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
    launch: Launch,
    every: Accesses,
    order: ProgramOrder,
    number: int,
    finding: Finding,
) -> Race:
    trace = launch.trace
    data, rows, base = race_at(launch, trace, every, order, finding)
    pairs = _pairs(every, order, rows, base)
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
    order = ProgramOrder(trace, every)
    wanted = range(min(len(found), _MOST_RACES))
    numbers = wanted if number in wanted else [*wanted[:-1], number]
    file = _file(found[number])
    alike = [at for at in numbers if _file(found[at]) == file]
    ran = Ran(launch, trace)
    ends = Ends(launch, every)
    races = (_look(launch, every, order, at, found[at]) for at in alike)
    return tuple(_complete(each, ran, ends) for each in races)


def _complete(race: Race, ran: Ran, ends: Ends) -> Race:
    """A race with what really ran, and with what is left in the end."""
    results = ends.of(race.data)

    def whole(data: RaceData) -> RaceData:
        return replace(with_ran(data, ran), results=results)

    at = {cell: whole(data) for cell, data in race.at.items()}
    return replace(race, data=whole(race.data), at=at)


def _file(finding: Finding) -> str:
    return finding.site.file or "" if finding.site else ""


def race_data(launch: Any, number: int = 0) -> RaceData:
    """One race of a launch; see `races_of`."""
    trace = check_number(launch, number)
    found, every = findings_of(launch), accesses_of(trace)
    order = ProgramOrder(trace, every)
    return _look(launch, every, order, number, found[number]).data

"""Where in the steps of a block its findings are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ....cuda import Finding, Launch
from ....cuda.inspecting.accesses import Accesses
from ....cuda.inspecting.trace import LANES
from ...scene.drawing import shortened
from ...traces.arrays import Array
from ...traces.faults import Fault, fault_of
from ...traces.launches import number_at
from ...traces.steps import Steps
from ..race.data import Order, RaceData, race_at, races_in
from ..race.picture import answer_of

_NAMES = {
    "race": "race",
    "oob": "out of bounds",
    "uninit": "never written",
    "barrier": "barrier",
}
BARRIER = "barrier_divergence"


@dataclass(frozen=True)
class Mark:
    """A finding on the axis of time.

    Attributes:
        step: After which it is there.
        name: In a word or two.
        words: What was found, as a sentence without its subject.
        race: The two threads of a race, as a sentence; "" for what is none.
        pair: Their numbers, where both are in the block.
        thread: Number of the thread in the block.
        lines: Of the code.
        cells: (array, cell) numbers that it is about.
        fault: Of what went wrong in the launch: what the thread does, after its name.
    """

    step: int
    name: str
    words: str
    thread: int
    lines: tuple[int, ...]
    cells: tuple[tuple[int, int], ...]
    fault: str = ""
    race: str = ""
    pair: tuple[int, ...] = ()


def _name(finding: Finding) -> str:
    known = _NAMES.get(finding.kind.partition("_")[0])
    return known or shortened(finding.kind.replace("_", " "), 20)


def _step(
    finding: Finding, launch: Launch, steps: Steps, every: Accesses, block: int
) -> int | None:
    """The last step in which the threads of a finding may have done it."""
    found: list[int] = []
    for site in (finding.site, finding.other):
        if site is None or number_at(site.block or (0, 0, 0), launch.grid) != block:
            continue
        thread = number_at(site.thread or (0, 0, 0), launch.block)
        mine = (steps.warp == thread // LANES) & (steps.mask >> thread % LANES & 1 != 0)
        if site.line:
            mine &= steps.line == site.line
        if finding.kind == BARRIER and (mine & steps.arrives).any():
            mine &= steps.arrives  # not what its line does once it is let go
        if finding.address is not None:
            rows = (every.thread == thread) & every.touches(finding)
            used = np.zeros(len(steps), bool)
            used[np.searchsorted(steps.last, every.step[rows])] = True
            mine = mine & used if (mine & used).any() else mine
        found += np.nonzero(mine)[0][-1:].tolist()
    return max(found, default=None)


def _race(order: Order, finding: Finding, steps: Steps) -> tuple[RaceData, int | None]:
    """A race at its own cell, and the step of the later access; None: not known."""
    alike, own = race_at(order, finding)
    rows = [side.step for side in (alike[own].writer, alike[own].other)]
    known = min(rows) >= 0 and alike[own].same_block
    return alike[own], int(np.searchsorted(steps.last, max(rows))) if known else None


def _named(race: RaceData, launch: Launch, arrays: list[Array], cells: Any) -> RaceData:
    """A race with its cell and threads as this view names them."""
    if race.same_block:
        writer, other = (
            replace(side, name=f"thread {number_at(side.thread, launch.block)}")
            for side in (race.writer, race.other)
        )
        race = replace(race, writer=writer, other=other)
    array, cell = cells[0] if cells else (0, 0)
    return replace(race, cell=arrays[array].spelled(cell)) if cells else race


def _cells(finding: Finding, arrays: list[Array], used: Accesses, race: Any) -> Any:
    """The cells of shared memory that a finding is about, its own first.

    Args:
        finding: Of a launch.
        arrays: That the view names.
        used: What is accessed in its step.
        race: Of the finding; None where it is none.
    """
    if finding.space != "shared" or finding.address is None:
        return ()
    found = []
    for at, each in enumerate(arrays):
        if not each.shared:
            continue
        cell = int(each.cells_at(np.array([finding.address]))[0])
        if cell < 0:
            continue
        found.append((at, cell))
        if race is not None:
            base = finding.address - (
                finding.allocation.offset if finding.allocation else finding.address
            )
            numbers = np.array(race.cells, np.int64)
            places = each.cells_at(base + numbers * (finding.size or 1))
            places = np.intersect1d(places, each.cells_at(used.address))
            found += [(at, int(place)) for place in places if place >= 0]
    return tuple(dict.fromkeys(found))


def _last_step(fault: Fault, steps: Steps) -> int | None:
    """The last step of the thread that failed: a check stands before the access."""
    own = steps.warp == fault.thread // LANES
    mine = own & (steps.mask >> fault.thread % LANES & 1 != 0)
    rows = np.nonzero(mine if mine.any() else own)[0]
    return int(rows[-1]) if len(rows) else None


def marks_of(
    launch: Launch, every: Accesses, steps: Steps, block: int, arrays: list[Array]
) -> tuple[Mark, ...]:
    """The findings of one block, in the order of steps.

    Args:
        launch: With a trace.
        every: The block's accesses.
        steps: The block's steps.
        block: Its number.
        arrays: That the view names.
    """
    marks, fault, known = [], fault_of(launch), races_in(launch)
    order = cache(lambda: Order(launch))
    for finding in (each.finding for each in launch.findings):
        if finding is None or finding.site is None:
            continue
        place = finding.site.block
        if place is None or number_at(place, launch.grid) != block:
            continue
        race, step = None, None
        if finding in known:
            race, step = _race(order(), finding, steps)
        if step is None:
            step = _step(finding, launch, steps, every, block)
        failed = fault if fault and finding == fault.finding else None
        if failed and failed.ended and launch.trace.truncated:
            failed = None  # what the trace has is long before
        if failed and step is None:
            step = _last_step(failed, steps)
        if step is None:
            continue
        lines = (finding.site.line, finding.other.line if finding.other else None)
        used = (steps.first[step] <= every.step) & (every.step <= steps.last[step])
        cells = _cells(finding, arrays, every.where(used), race)
        if race is not None:
            race = _named(race, launch, arrays, cells)
        marks.append(
            Mark(
                step=step,
                name=_name(finding),
                words=shortened(finding.message.partition(": ")[0], 90),
                thread=number_at(finding.site.thread or (0, 0, 0), launch.block),
                lines=tuple(sorted({line for line in lines if line})),
                cells=cells,
                fault=failed.words if failed else "",
                race=answer_of(race) if race else "",
                pair=tuple(
                    number_at(side.thread, launch.block)
                    for side in (race.writer, race.other)
                )
                if race and race.same_block
                else (),
            )
        )
        fault = None if failed else fault
    return tuple(sorted(marks, key=lambda each: each.step))

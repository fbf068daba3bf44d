"""The numbers of the race view: two accesses, one cell, both orders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....cuda import Finding, Launch, Site, Trace
from ....cuda.errors import KINDS
from ....cuda.inspecting.trace import LANES
from ...scene.drawing import number, shortened
from ...traces.launches import (
    READ,
    SHARED,
    VERBS,
    Accesses,
    Place,
    number_at,
    place_of,
    require_trace,
    spelled,
)
from .order import ProgramOrder, Rows, pair_of
from .ran import Access, Happened, Ran

_FLOATS = {2: "<f2", 4: "<f4", 8: "<f8"}


@dataclass(frozen=True)
class Side:
    """One of the two threads that race.

    Attributes:
        block, thread: Its place, (x, y, z).
        name: As sentences name it, without its block where both are in one.
        who: Number of its warp, or of its block where these differ; its hue.
        line: Of the access, as the finding gives it; 0 where it gives none.
        kind: "reads", "writes" or "updates".
        step: Of the trace; -1 where the trace does not have it.
        value: What it read or wrote, in words; "" where that is not known.
    """

    block: Place
    thread: Place
    name: str
    who: int
    line: int
    kind: str
    step: int
    value: str


@dataclass(frozen=True)
class Result:
    """What a cell of global memory holds in the end: name, value, and is it right?"""

    cell: str
    value: str
    right: bool


@dataclass(frozen=True)
class RaceData:
    """One race.

    Attributes:
        kernel: Its name.
        file: Of the lines; a whole path for kernels in Python.
        space: "shared" or "global".
        cell: As people index it: s[32].
        array: The array's name, "" where nobody knows it.
        size: Cells of the array.
        writer, other: The two threads; `other` reads, or writes as well.
        early: Which the program means to come first, "writer" or "other"; a loop's
            next round comes after this one.
        before: What the cell held before the write; "" for never written.
        cells: Numbers of all cells of the array that race on these two lines.
        same_block, same_warp: Where the two threads are.
        threads: Of a block.
        findings: Races of the launch, this one included.
        ran: What the two warps really ran around it; None where the trace lacks it.
        results: What the launch leaves in an order, "barrier" among them; () where only
            this run's is known, or all are alike.
    """

    kernel: str
    file: str
    space: str
    cell: str
    array: str
    size: int
    writer: Side
    other: Side
    early: str
    before: str
    cells: tuple[int, ...]
    same_block: bool
    same_warp: bool
    threads: int
    findings: int
    ran: Happened | None = None
    results: tuple[tuple[str, Result], ...] = ()

    @property
    def first(self) -> str:
        """Which came first in this run: "writer" or "other"."""
        return "writer" if self.writer.step < self.other.step else "other"


def own_cell(data: RaceData) -> int:
    """The number in its array of the cell that a race is about; 0 where unknown."""
    spelled = data.cell.rpartition("[")[2].rstrip("]")
    return int(spelled) if spelled.isdigit() else 0


def value_in_words(bits: int, size: int, opcode: str) -> str:
    """Bits as a number of the type that an instruction names.

    Example:
        >>> value_in_words(0x42040000, 4, "st.shared.f32")
        '33'
    """
    raw = int(bits).to_bytes(8, "little")[:size]
    kind = opcode.rpartition(".")[2][:1]
    if kind == "f" and size in _FLOATS:
        return number(float(np.frombuffer(raw, _FLOATS[size])[0]))
    return number(int.from_bytes(raw, "little", signed=kind == "s"))


def findings_of(launch: Launch) -> list[Finding]:
    """The races of a launch that can be drawn."""
    found = [each.finding for each in launch.findings if each.finding is not None]
    return [each for each in found if is_race(each) and each.site and each.other]


def is_race(finding: Finding) -> bool:
    """Is it about two threads that nothing orders?"""
    return KINDS[finding.kind].form == "race"


def side_at(launch: Launch, trace: Trace, every: Accesses, row: int, line: int) -> Side:
    """The thread that made an access, and what it did."""
    thread = place_of(int(every.thread[row]), launch.block)
    step, size = int(every.step[row]), int(every.size[row])
    kind = VERBS[int(every.kind[row])]
    return Side(
        block=place_of(int(every.block[row]), launch.grid),
        thread=thread,
        name=f"thread {spelled(thread, launch.block)}",
        who=int(every.thread[row]) // LANES,
        line=line,
        kind=kind,
        step=step,
        value=value_in_words(int(every.value[row]), size, str(trace.opcode[step])),
    )


def _side(
    launch: Launch,
    trace: Trace,
    every: Accesses,
    site: Site,
    row: int | None,
    kind: str,
) -> Side:
    if row is not None:
        return side_at(launch, trace, every, row, site.line or 0)
    thread = site.thread or (0, 0, 0)
    return Side(
        block=site.block or (0, 0, 0),
        thread=thread,
        name=f"thread {spelled(thread, launch.block)}",
        who=number_at(thread, launch.block) // LANES,
        line=site.line or 0,
        kind=kind,
        step=-1,
        value="",
    )


def before(trace: Trace, every: Accesses, row: int | None) -> str:
    """What lay in the cell before the write of a row; "" for nothing."""
    if row is None:
        return ""
    shared = every.space[row] == SHARED
    same = (every.space == every.space[row]) & (every.address == every.address[row])
    if shared:
        same &= every.block == every.block[row]
    # A read shows what lies there; in shared memory only after somebody wrote.
    known = same & (every.step < every.step[row])
    if shared:
        written = np.nonzero(same & (every.kind != READ))[0]
        known &= every.step >= every.step[written[0]]
    rows = np.nonzero(known)[0]
    if not len(rows):
        return ""
    opcode = str(trace.opcode[every.step[row]])
    return value_in_words(int(every.value[rows[-1]]), int(every.size[row]), opcode)


def _cell(finding: Finding) -> tuple[str, str, int, int]:
    """The cell's name, its array's name and size, and the array's first address."""
    size, at = finding.size or 1, finding.allocation
    if at is None or not at.label or at.offset < 0:
        return "the cell", "", 0, finding.address or 0
    name = shortened(at.label, 20)
    base = (finding.address or 0) - at.offset
    return f"{name}[{at.offset // size}]", name, at.size // size, base


def _early(order: ProgramOrder, rows: Rows, writer: Side, other: Side) -> str:
    one, two = rows
    if one is not None and two is not None and writer.block == other.block:
        return "writer" if order.is_first(one, two) else "other"
    return "other" if 0 < other.line < writer.line else "writer"


def race_at(
    launch: Launch,
    trace: Trace,
    every: Accesses,
    order: ProgramOrder,
    finding: Finding,
) -> tuple[RaceData, Rows, int]:
    """One race, the rows of its two accesses, and the array's first address.

    Its `cells` are those that `race_cells` finds; here there are none.
    """
    assert finding.site is not None
    assert finding.other is not None
    rows = pair_of(order, trace, every, launch, finding)
    kind = {"read": "reads", "atomic": "updates"}.get(finding.access or "", "writes")
    one = _side(launch, trace, every, finding.site, rows[0], kind)
    two = _side(launch, trace, every, finding.other, rows[1], "uses")
    if one.kind == "reads":  # the writer first
        one, two, rows = two, one, (rows[1], rows[0])
    cell, array, size, base = _cell(finding)
    same_block = one.block == two.block
    data = RaceData(
        kernel=launch.kernel,
        file=finding.site.file or "",
        space=finding.space or "global",
        cell=cell,
        array=array,
        size=size,
        writer=in_block(one, launch, same_block),
        other=in_block(two, launch, same_block),
        early=_early(order, rows, one, two),
        before=before(trace, every, rows[0]),
        cells=(),
        same_block=same_block,
        same_warp=same_block and one.who == two.who,
        threads=launch.block[0] * launch.block[1] * launch.block[2],
        findings=len(findings_of(launch)),
    )
    return data, rows, base


def with_ran(data: RaceData, ran: Ran) -> RaceData:
    """A race with what really ran around it."""
    one, other = (
        Access(side.block, side.thread, side.kind, side.step)
        for side in (data.writer, data.other)
    )
    return replace(data, ran=ran.around(one, other))


def check_number(launch: Any, number: Any) -> Trace:
    """Refuse what has no such race.

    Args:
        launch: With a trace and a finding that is a race.
        number: Which of its races, from 0.

    Raises:
        ValueError: No trace, or no race.
        IndexError: Fewer races than that.
        TypeError: Not a launch, or no number.
    """
    trace = require_trace(launch, "race")
    races = findings_of(launch)
    if not races:
        raise ValueError(
            f"[viz.race] got a launch of {shortened(launch.kernel)} without a race; "
            "need one. Checks must be 'full': cuda.inspect(checks='full', trace=True)."
        )
    if not hasattr(number, "__index__"):
        raise TypeError(f"[viz.race] got number {number!r}; need an int.")
    if not 0 <= number < len(races):
        raise IndexError(f"[viz.race] got number {number}; need 0 to {len(races) - 1}.")
    return trace


def in_block(side: Side, launch: Launch, same_block: bool) -> Side:
    """A thread with its block in its name, where the two are in different blocks."""
    if same_block:
        return side
    name = f"{side.name} of block {spelled(side.block, launch.grid)}"
    fields = {**side.__dict__, "name": name, "who": number_at(side.block, launch.grid)}
    return Side(**fields)

"""The numbers of the race view: two accesses to a cell, and what each order leaves."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Finding, Launch, Site
from ....cuda.errors import KINDS
from ....cuda.inspecting.accesses import ATOMIC, READ, SHARED, WRITE, accesses_of
from ....cuda.inspecting.trace import LANES
from ...scene.drawing import number, shortened
from ...traces.launches import VERBS, Place, number_at, place_of, require_trace, spelled
from ...traces.shared_names import as_type, dtype_of
from ...traces.steps import steps_of
from .outcomes import Outcomes, Result

MOST_BOXES, _NEAR = 14, 2  # steps that are drawn; if more, those around an access
_MOST_CELLS = 32
_MOST_RERUN = 20_000  # steps that run again so that each cell has its results
_KINDS = {"read": READ, "write": WRITE, "atomic": ATOMIC}
_UPDATES = ("AtomicUpdate", "AtomicExtremum")  # remedies of what reads, then writes
Numbers = NDArray[Any]
Rows = tuple[int | None, int | None]


@dataclass(frozen=True)
class Side:
    """One of the two threads that race.

    Attributes:
        block, thread: Its coordinates, (x, y, z).
        name: As sentences name it, with its block where the two are in different ones.
        who: Number of its warp, or of its block where these differ; its hue.
        warp: Numbers of its block, and of its warp in it.
        line: Of the access, as the finding gives it; 0 where it gives none.
        kind: "reads", "writes" or "updates".
        step: Row of the trace; -1 where the trace does not have it.
        value: What it read or wrote, in words; "" where that is not known, as where
            several lanes write a cell in one step.
        read: What it read before, if it changes the cell.
    """

    block: Place
    thread: Place
    name: str
    who: int
    warp: tuple[int, int]
    line: int
    kind: str
    step: int = -1
    value: str = ""
    read: str = ""

    @property
    def noun(self) -> str:
        """The access in a word: "read", "write" or "update"."""
        return self.kind.removesuffix("s")


@dataclass(frozen=True)
class Box:
    """A step: one warp runs one line.

    Attributes:
        warp: Numbers of its block, and of its warp in it.
        line: 0 where it is not known; -1 for steps that are left out.
        does: What the racing threads do here: "reads"; "" for nothing.
        waits: Whether the warp arrives at a barrier.
    """

    warp: tuple[int, int]
    line: int
    does: str = ""
    waits: bool = False


@dataclass(frozen=True)
class RaceData:
    """One race, at one of the cells that race alike.

    Attributes:
        number: Among the launch's races.
        own_cell: Number of the cell in its array; 0 where it is not known.
        file: Of the lines; a whole path for kernels in Python.
        space: "shared" or "global".
        cell: As people index it: s[32].
        array: The array's name, "" where nobody knows it.
        size: Cells of the array.
        writer, other: The two threads; `other` reads, or writes as well.
        early: Which the program means to come first, "writer" or "other"; a loop's
            next round comes after this one.
        before, after: What the cell held before the write, "" for never written; and
            after both accesses.
        cells: Numbers of all cells of the array that race on these two lines.
        threads: Of a block.
        findings: Races of the launch, this one included.
        ran: What the two warps ran around it, in order; () where the trace lacks it.
        rounds: Whether both are on one line, in different rounds of a loop.
        results: What the launch leaves in an order, with a "barrier", or where both go
            at "once"; {} where only this run's is known, or all are alike.
        updates: Whether both threads read the cell, change it and write it back.
        remedy: What would help in place of a barrier, as the finding says it; or "".
        warps: How many write the cell.
    """

    number: int
    own_cell: int
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
    threads: int
    findings: int
    ran: tuple[Box, ...] = ()
    rounds: bool = False
    results: Mapping[str, Result] = field(default_factory=dict)
    after: str = ""
    updates: bool = False
    remedy: str = ""
    warps: int = 0

    @property
    def sides(self) -> tuple[Side, Side]:
        """The two threads."""
        return self.writer, self.other

    @property
    def same_block(self) -> bool:
        """Whether both threads are in one block."""
        return self.writer.block == self.other.block

    @property
    def first(self) -> str:
        """The order of this run: which came first, or both at "once"; "": not known."""
        one, other = self.writer.step, self.other.step
        if min(one, other) < 0:
            return ""
        return "once" if one == other else "writer" if one < other else "other"

    @property
    def in_order(self) -> tuple[Side, Side]:
        """The two threads in the order that the program means."""
        return self.sides if self.early == "writer" else self.sides[::-1]

    @property
    def is_ordered(self) -> bool:
        """Whether a barrier between the two lines, or rounds, leaves one order."""
        low, high = sorted((self.writer.line, self.other.line))
        parted = low > 0 and (low < high or self.rounds)
        return self.same_block and parted and not self.remedy

    @property
    def orders(self) -> tuple[str, ...]:
        """The orders to draw."""
        third = ("barrier",) * self.is_ordered or ("once",) * self.updates
        return ("writer", "other", *third)

    def uses(self, order: str) -> tuple[str, ...]:
        """Return what writer and other read and write in an order; "": not known."""
        if order in self.results and self.results[order].uses:
            return self.results[order].uses
        known = [each for side in self.sides for each in (side.read, side.value)]
        return tuple(known) if order == self.first else ("",) * 4


def _earlier(marks: Numbers, group: Numbers) -> Numbers:
    """Return for each step how many marked ones its group has before it."""
    order = np.argsort(group, kind="stable")
    own, group = marks[order], group[order]
    total = np.cumsum(own) - own
    found = np.empty(len(own), np.int64)
    found[order] = total - total[np.searchsorted(group, group)]
    return found


class Order:
    """Which of two accesses comes first as the program goes, and what parts them.

    Lines do not say it: the write of a loop's next round stands above the read that it
    must not overtake. The threads' own order of these lines does.

    Args:
        launch: With a trace.
    """

    def __init__(self, launch: Launch) -> None:
        trace = launch.trace
        self.launch, self.every, self.opcode = launch, accesses_of(trace), trace.opcode
        step = self.every.step
        warp = trace.block.astype(np.int64) << 32 | trace.warp
        narrow = np.char.startswith(self.opcode, "bar.warp")
        wide = np.char.startswith(self.opcode, "bar") & ~narrow
        count = _earlier(wide, warp) + wide
        # Of accesses: barriers of the block and of the warp before them.
        self.wide, self.narrow = count[step], (_earlier(narrow, warp) + narrow)[step]
        # Stretches: steps of a warp between barriers of its block.
        warp = np.unique(warp, return_inverse=True)[1] * (len(trace) + 1) + count
        _, begin, self.stretch = np.unique(warp, return_index=True, return_inverse=True)
        after = np.where(wide[begin], trace.line[begin], 0)[self.stretch]
        self.line, self.after = trace.line[step], after[step]
        self.uses = cache(self._uses)

    def key(self, row: int) -> tuple[int, int, int]:
        """Return line, kind and space of an access."""
        every = self.every
        return int(self.line[row]), int(every.kind[row]), int(every.space[row])

    def _uses(self, line: int, kind: int, space: int) -> tuple[Numbers, ...]:
        """Return rows of these accesses, and two numbers for every access.

        How many of them its warp made in its stretch: before it, and in all.
        """
        every, stretch = self.every, self.stretch
        like = (self.line == line) & (every.kind == kind) & (every.space == space)
        marks = np.zeros(len(stretch), np.int64)
        marks[every.step[like]] = 1
        total = np.bincount(stretch, marks)[stretch][every.step]
        return np.nonzero(like)[0], _earlier(marks, stretch)[every.step], total

    def apart(self, one: int, other: int) -> bool:
        """Return whether a barrier stands between two accesses of one block."""
        every, pair = self.every, [one, other]
        if every.block[one] != every.block[other]:
            return False
        warps = every.thread[pair] // LANES
        narrow = warps[0] == warps[1] and np.ptp(self.narrow[pair])
        return bool(np.ptp(self.wide[pair]) or narrow)

    def is_first(self, one: int, other: int) -> bool:
        """Return whether the program means `one` to come before `other`.

        The thread of `one` runs the line of `other` too: the same round of it, before
        or after its own access, is what `other` is. If it does not, the thread of
        `other` may run the line of `one`. If neither does, the line of the last barrier
        tells which lines are reached by going round a loop.
        """
        _, before, total = self.uses(*self.key(other))
        if total[one]:
            return bool(before[other] >= before[one])
        _, before, total = self.uses(*self.key(one))
        if total[other]:
            return bool(before[one] < before[other])
        after, (a, b) = self.after[one], self.line[[one, other]]
        return bool((a < after, a) <= (b < after, b))

    def where(self, site: Site | None) -> tuple[int, int]:
        """Return the numbers of a block and of a thread in it."""
        assert site is not None
        none, launch = (0, 0, 0), self.launch
        return (number_at(site.block or none, launch.grid),
                number_at(site.thread or none, launch.block))  # fmt: skip

    def pair(self, finding: Finding) -> Rows:
        """Return the two accesses: those next to each other that no barrier parts."""
        every, near = self.every, self.every.touches(finding)
        wanted = _KINDS.get(finding.access or "", WRITE)
        kinds = [[wanted], [WRITE, ATOMIC] + [READ] * (wanted != READ)]
        for tried in [[[WRITE]] * 2] * (finding.remedy in _UPDATES) + [kinds]:
            found = []
            for site, each in zip((finding.site, finding.other), tried, strict=True):
                block, thread = self.where(site)
                mine = near & (every.block == block) & (every.thread == thread)
                mine &= np.isin(every.kind, each)
                there = mine & (self.line == ((site and site.line) or 0))
                found.append(np.nonzero(there if there.any() else mine)[0])
            if all(map(len, found)):
                break
        else:
            return (int(found[0][0]) if len(found[0]) else None), None
        steps = [every.step[rows] for rows in found]
        order = np.argsort(np.abs(steps[0][:, None] - steps[1]), axis=None)
        at = np.unravel_index(order, (len(steps[0]), len(steps[1])))
        rows = list(zip(*(mine[each].tolist() for mine, each in
                          zip(found, at, strict=True)), strict=True))  # fmt: skip
        return next((each for each in rows if not self.apart(*each)), rows[0])

    def alike(self, one: int, two: int, base: int) -> dict[int, tuple[int, int]]:
        """Return cells that threads use as these two accesses do theirs.

        On the same lines, between the same barriers, in the same order.

        Args:
            one, two: Rows of a write and of another access.
            base: Address of the array.

        Returns:
            For the number of each cell the rows of two such accesses.
        """
        every, uses, early = self.every, [], self.is_first(one, two)
        for row in (one, two):
            rows = self.uses(*self.key(row))[0]
            like = self.wide[rows] == self.wide[row]
            if every.space[row] == SHARED:
                like &= every.block[rows] == every.block[row]
            uses.append(rows[like].tolist())
        address, writers = every.address.tolist(), defaultdict(list)
        for row in uses[0]:
            writers[address[row]].append(row)
        found: dict[int, tuple[int, int]] = {}
        for row in uses[1]:
            cell = (address[row] - base) // int(every.size[one])
            for writer in writers[address[row]]:
                if cell not in found and not (
                    every.block[writer] == every.block[row]
                    and (every.thread[writer] == every.thread[row]
                         or self.is_first(writer, row) != early
                         or self.apart(writer, row))
                ):  # fmt: skip
                    found[cell] = writer, row
        return dict(sorted(found.items()))

    def sides(self, rows: Sequence[int | None], finding: Finding) -> list[Side]:
        """Return the two threads of two accesses, as a finding's sites are."""
        every, launch, found = self.every, self.launch, []
        sites = (finding.site, finding.access), (finding.other, finding.other_access)
        at = [self.where(site) if row is None
              else (int(every.block[row]), int(every.thread[row]))
              for row, (site, _) in zip(rows, sites, strict=True)]  # fmt: skip
        apart = at[0][0] != at[1][0]
        for row, (site, access), (block, thread) in zip(rows, sites, at, strict=True):
            places = place_of(block, launch.grid), place_of(thread, launch.block)
            name = f"thread {spelled(places[1], launch.block)}"
            if apart:
                name += f" of block {spelled(places[0], launch.grid)}"
            warp = block, thread // LANES
            side = Side(
                *places, name, warp[not apart], warp, (site and site.line) or 0,
                VERBS[_KINDS.get(access or "", WRITE)],
            )  # fmt: skip
            if row is not None:
                kind, step = VERBS[int(every.kind[row])], int(every.step[row])
                # Of lanes that write a cell together nobody knows who wrote what.
                same = (every.step == step) & (every.address == every.address[row])
                alone = kind == "reads" or same.sum() == 1
                value = self.value(row, row) if alone else ""
                read = self.before(row) if finding.remedy in _UPDATES else ""
                side = replace(side, kind=kind, step=step, value=value, read=read)
            found.append(side)
        return found

    def value(self, row: int, like: int) -> str:
        """Return what lay in a cell, as a number of another access's size.

        A constant is stored as bits: the array's type tells what they are, or what most
        accesses to the cell say.
        """
        every, where = self.every, int(self.every.address[row])
        same = (every.space == every.space[row]) & (every.address == where)
        dtype = next((
            each.before.dtype for each in self.launch.arguments
            if each.is_array and each.before is not None
            and 0 <= where - each.pointer < each.before.nbytes
        ), None) or dtype_of(self.opcode[every.step[same]].tolist(),
                             int(every.size[like]))  # fmt: skip
        return number(as_type(every.value[[row]], dtype)[0].item())

    def before(self, row: int | None) -> str:
        """Return what lay in the cell before a write; "" for nothing."""
        if row is None:
            return ""
        every = self.every
        shared = every.space[row] == SHARED
        same = (every.space == every.space[row]) & (every.address == every.address[row])
        same &= every.step < every.step[row]
        # A read shows what lies there; in shared memory only after somebody wrote.
        if shared:
            same &= every.block == every.block[row]
            same &= np.logical_or.accumulate(same & (every.kind != READ))
        rows = np.nonzero(same)[0]
        return self.value(rows[-1], row) if len(rows) else ""


def race_at(
    order: Order, finding: Finding, number: int = 0, findings: int = 1
) -> tuple[list[RaceData], int]:
    """Return a finding at the cells that race alike, and which one is its own."""
    rows, size, at = order.pair(finding), finding.size or 1, finding.allocation
    way = -1 if finding.access == "read" else 1  # the writer first
    writer, other = order.sides(rows, finding)[::way]
    one, two = rows[::way]
    own, array, base = 0, "", finding.address or 0
    if at is not None and at.label and at.offset >= 0:
        own, array, base = at.offset // size, shortened(at.label, 20), base - at.offset
    first, pairs, after, warps = not 0 < other.line < writer.line, {}, "", 0
    if one is not None and two is not None:
        pairs, every = order.alike(one, two, base), order.every
        if writer.block == other.block:
            first = order.is_first(one, two)
        after = order.value(max(one, two), max(one, two))
        writes = every.touches(finding) & (every.kind != READ)
        who = every.block[writes] << 32 | every.thread[writes] // LANES
        warps = len(np.unique(who))
    atomic, advice = finding.remedy.startswith("Atomic"), finding.message.split(": ")
    data = RaceData(
        number=number,
        own_cell=own,
        file=(finding.site and finding.site.file) or "",
        space=finding.space or "global",
        cell=f"{array}[{own}]" if array else "the cell",
        array=array,
        size=at.size // size if at and array else 0,
        writer=writer,
        other=other,
        early="writer" if first else "other",
        before=order.before(one),
        after=after,
        cells=tuple(pairs),
        threads=int(np.prod(order.launch.block)),
        findings=findings,
        updates=finding.remedy in _UPDATES and writer.kind == other.kind,
        remedy=advice[-1].rstrip(".") if atomic else "",
        warps=warps,
    )
    # Without the array's name nobody knows what to call the others.
    cells = sorted({own, *pairs}) if array else [own]
    start = max(0, min(cells.index(own) - _MOST_CELLS // 2, len(cells) - _MOST_CELLS))
    cells, found = cells[start : start + _MOST_CELLS], []
    for near in cells:
        if near in pairs and near != own:
            one, two = pairs[near]
            writer, other = order.sides((one, two)[::way], finding)[::way]
            found.append(replace(
                data, own_cell=near, cell=f"{array}[{near}]", writer=writer,
                other=other, before=order.before(one),
                after=order.value(max(one, two), max(one, two)),
            ))  # fmt: skip
        else:
            found.append(data)
    return found, cells.index(own)


def _in_rounds(steps: Any, data: RaceData) -> bool:
    """Return whether two accesses of one line are in different rounds of a loop."""
    pair = data.sides
    if (
        not data.same_block
        or pair[0].line != pair[1].line
        or data.first in ("", "once")
    ):
        return False
    rounds = []
    for side in pair:
        own = steps(side.warp[0])
        mine = (own.warp == side.warp[1]) & (own.line == side.line)
        rounds.append(int(np.searchsorted(own.last[mine], side.step)))
    return rounds[0] != rounds[1]


def _ran(steps: Any, data: RaceData) -> tuple[Box, ...]:
    """Return what both warps ran between the barriers around the accesses."""
    pair, found = data.sides, list[list[tuple[int, Box]]]()
    known = min(each.step for each in pair) >= 0
    for warp in sorted({each.warp for each in pair}) if known else ():
        own, boxes = steps(warp[0]), list[tuple[int, Box]]()
        mine = own.warp == warp[1]
        uses = [each for each in pair if each.warp == warp]
        walls, rows = own.last[mine & own.arrives], [each.step for each in uses]
        start = max(walls[walls < min(rows)], default=-1)
        end = min(walls[walls >= max(rows)], default=own.last[-1])
        for at in np.nonzero(mine & (own.first > start) & (own.first <= end))[0]:
            does = dict.fromkeys(
                "changes" if data.updates else each.kind
                for each in uses
                if own.first[at] <= each.step <= own.last[at]
            )
            box = Box(warp, max(int(own.line[at]), 0), " and ".join(sorted(does)),
                      bool(own.arrives[at]))  # fmt: skip
            boxes.append((int(own.first[at]), box))
        found.append(boxes)
    if sum(map(len, found)) > MOST_BOXES:
        found = [_around(boxes) for boxes in found]
    return tuple(
        box for _, box in sorted(itertools.chain(*found), key=lambda each: each[0])
    )


def _around(boxes: list[tuple[int, Box]]) -> list[tuple[int, Box]]:
    """Return steps around accesses, and a box for those left out between."""
    hits, kept = [at for at, (_, box) in enumerate(boxes) if box.does], []
    for at, (row, box) in enumerate(boxes):
        if any(abs(at - hit) <= _NEAR for hit in hits):
            kept.append((row, box))
        elif not kept or kept[-1][1].line >= 0:
            kept.append((row, Box(box.warp, -1)))
    return kept


def races_in(launch: Launch) -> list[Finding]:
    """Return the findings that are about two threads which nothing orders."""
    found = (each.finding for each in launch.findings)
    return [each for each in found if each and each.site and each.other
            and KINDS[each.kind].form == "race"]  # fmt: skip


def races_of(launch: Any, number: int = 0) -> tuple[list[RaceData], int]:
    """Look at one race of a launch, at each of the cells that race alike.

    Args:
        launch: With a trace and a finding that is a race.
        number: Which of its races, from 0.

    Returns:
        The race at its cells (32 at most); and where the cell of the finding is.

    Raises:
        ValueError: No trace, or no race.
        IndexError: Fewer races than that.
        TypeError: Not a launch, or no number.
    """
    trace = require_trace(launch, "race")
    found = races_in(launch)
    if not found:
        raise ValueError(
            f"[viz.race] no race was found in {shortened(launch.kernel)}. Races are "
            "checked only with cuda.inspect(checks='full', trace=True)."
        )
    if not hasattr(number, "__index__"):
        raise TypeError(f"[viz.race] got number {number!r}; need an int.")
    if not 0 <= number < len(found):
        raise IndexError(f"[viz.race] got number {number}; need 0 to {len(found) - 1}.")
    threads, finding = int(np.prod(launch.block)), found[number]
    outcomes, steps = Outcomes(launch), cache(lambda at: steps_of(trace, at, threads))
    race, own = race_at(Order(launch), finding, number, len(found))
    rounds, rows = _in_rounds(steps, race[own]), []
    for each in race:
        each = replace(each, rounds=rounds)
        away = (finding.size or 1) * (each.own_cell - race[own].own_cell)
        alone = not away or len(trace) * len(race) <= _MOST_RERUN
        ends = outcomes.of(each, (finding.address or 0) + away, alone)
        rows.append(replace(each, ran=_ran(steps, each), results=ends))
    return rows, own

"""The numbers of the race view: two accesses to a cell, and what each order leaves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Finding, Launch, Site
from ....cuda.errors import KINDS
from ....cuda.inspecting.trace import LANES
from ...scene.drawing import number, shortened
from ...traces.launches import (
    ATOMIC,
    READ,
    SHARED,
    VERBS,
    WRITE,
    Place,
    accesses_of,
    number_at,
    place_of,
    require_trace,
    spelled,
)
from ...traces.steps import steps_of
from .outcomes import Outcomes, Result

_NEAR = 3  # steps shown before and after an access
MOST_BOXES = 2 * (2 * _NEAR + 1)
_MOST_RACES, _MOST_CELLS = 4, 32
_FLOATS = {2: "<f2", 4: "<f4", 8: "<f8"}
_KINDS = {"read": READ, "write": WRITE, "atomic": ATOMIC}
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

    @property
    def noun(self) -> str:
        """The access in a word: "read", "write" or "update"."""
        return self.kind.removesuffix("s")


@dataclass(frozen=True)
class Box:
    """A step: one warp runs one line.

    Attributes:
        warp: Numbers of its block, and of its warp in it.
        line: 0 where it is not known.
        does: What the racing thread does here: "reads"; "" for nothing.
        waits: Whether the warp arrives at a barrier.
        at: Its number among the steps of both warps.
    """

    warp: tuple[int, int]
    line: int
    does: str
    waits: bool
    at: int = 0


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
        before: What the cell held before the write; "" for never written.
        cells: Numbers of all cells of the array that race on these two lines.
        threads: Of a block.
        findings: Races of the launch, this one included.
        ran: What the two warps ran around it, in order; () where the trace lacks it.
        rounds: Whether both are on one line, in different rounds of a loop.
        results: What the launch leaves in an order, with a "barrier", or where both go
            at "once"; {} where only this run's is known, or all are alike.
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

    @property
    def same_block(self) -> bool:
        """Whether both threads are in one block."""
        return self.writer.block == self.other.block

    @property
    def first(self) -> str:
        """Which came first in this run; "" where nobody knows, or both came at once."""
        one, other = self.writer.step, self.other.step
        if min(one, other) < 0 or one == other:
            return ""
        return "writer" if one < other else "other"

    @property
    def in_order(self) -> tuple[Side, Side]:
        """The two threads in the order that the program means."""
        pair = self.writer, self.other
        return pair if self.early == "writer" else pair[::-1]

    @property
    def is_ordered(self) -> bool:
        """Whether a barrier between the two lines, or rounds, leaves one order."""
        low, high = sorted((self.writer.line, self.other.line))
        return self.same_block and low > 0 and (low < high or self.rounds)

    @property
    def at_once(self) -> bool:
        """Whether both threads made their accesses together in this run."""
        return self.writer.step == self.other.step >= 0

    @property
    def orders(self) -> tuple[str, ...]:
        """The orders to draw."""
        third = ("barrier",) * self.is_ordered or ("once",) * ("once" in self.results)
        return ("writer", "other", *third)

    def in_run(self, order: str) -> RaceData:
        """Return the race with the values that its threads write in an order."""
        values = self.results[order].writes if order in self.results else ()
        if not values:
            return self
        writer, other = values if order == "writer" else values[::-1]
        return replace(self, writer=replace(self.writer, value=writer),
                       other=replace(self.other, value=other))  # fmt: skip


def value_in_words(bits: int, size: int, opcode: str) -> str:
    """Return bits as a number of the type that an instruction names.

    Example:
        >>> value_in_words(0x42040000, 4, "st.shared.f32")
        '33'
    """
    raw = int(bits).to_bytes(8, "little")[:size]
    kind = opcode.rpartition(".")[2][:1]
    if kind == "f" and size in _FLOATS:
        return number(float(np.frombuffer(raw, _FLOATS[size])[0]))
    return number(int.from_bytes(raw, "little", signed=kind == "s"))


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
        wanted, found = _KINDS.get(finding.access or "", WRITE), []
        for site, kinds in (
            (finding.site, [wanted]),
            (finding.other, [WRITE, ATOMIC] + [READ] * (wanted != READ)),
        ):
            block, thread = self.where(site)
            mine = near & (every.block == block) & (every.thread == thread)
            mine &= np.isin(every.kind, kinds)
            there = mine & (self.line == ((site and site.line) or 0))
            found.append(np.nonzero(there if there.any() else mine)[0])
        if not all(map(len, found)):
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
                side = replace(side, kind=kind, step=step, value=value)
            found.append(side)
        return found

    def value(self, row: int, like: int) -> str:
        """Return what lay in a cell, as a number of another access's type.

        A constant is stored as bits: whether they are a float the array's type tells,
        or another access to the cell.
        """
        every, where = self.every, int(self.every.address[row])
        opcode = str(self.opcode[every.step[like]])
        same = (every.space == every.space[row]) & (every.address == where)
        types = {each.rpartition(".")[2] for each in self.opcode[every.step[same]]}
        floats = {f"f{8 * int(every.size[like])}"} & types or any(
            each.before.dtype.kind == "f"
            and 0 <= where - each.pointer < each.before.nbytes
            for each in self.launch.arguments
            if each.is_array and each.before is not None
        )
        return value_in_words(
            every.value[row], int(every.size[like]), ".f" if floats else opcode
        )

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
    first, pairs = not 0 < other.line < writer.line, {}
    if one is not None and two is not None:
        pairs = order.alike(one, two, base)
        if writer.block == other.block:
            first = order.is_first(one, two)
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
        cells=tuple(pairs),
        threads=int(np.prod(order.launch.block)),
        findings=findings,
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
            ))  # fmt: skip
        else:
            found.append(data)
    return found, cells.index(own)


def _in_rounds(steps: Any, data: RaceData) -> bool:
    """Return whether two accesses of one line are in different rounds of a loop."""
    pair = data.writer, data.other
    if not data.same_block or pair[0].line != pair[1].line or data.first == "":
        return False
    rounds = []
    for side in pair:
        own = steps(side.warp[0])
        mine = (own.warp == side.warp[1]) & (own.line == side.line)
        rounds.append(int(np.searchsorted(own.last[mine], side.step)))
    return rounds[0] != rounds[1]


def _ran(steps: Any, data: RaceData) -> tuple[Box, ...]:
    """Return the steps of the two warps around both accesses."""
    pair, found = (data.writer, data.other), []
    known = min(each.step for each in pair) >= 0
    for warp in {each.warp for each in pair} if known else ():
        own = steps(warp[0])
        for at in np.nonzero(own.warp == warp[1])[0]:
            first, last = int(own.first[at]), int(own.last[at])
            done = dict.fromkeys(
                each.kind
                for each in pair
                if each.warp == warp and first <= each.step <= last
            )
            line, waits = max(int(own.line[at]), 0), bool(own.arrives[at])
            found.append((first, Box(warp, line, " and ".join(done), waits)))
    boxes = [box for _, box in sorted(found, key=lambda each: each[0])]
    near = {at + by for at, box in enumerate(boxes) if box.does
            for by in range(-_NEAR, _NEAR + 1)}  # fmt: skip
    return tuple(replace(box, at=at) for at, box in enumerate(boxes) if at in near)


def races_in(launch: Launch) -> list[Finding]:
    """Return the findings that are about two threads which nothing orders."""
    found = (each.finding for each in launch.findings)
    return [each for each in found if each and each.site and each.other
            and KINDS[each.kind].form == "race"]  # fmt: skip


def races_of(launch: Any, number: int = 0) -> tuple[list[RaceData], int]:
    """Look at one race of a launch, and at others to choose from.

    Args:
        launch: With a trace and a finding that is a race.
        number: Which of its races, from 0.

    Returns:
        The wanted race and the first ones of its file, at most four, each at its cells
        (32 at most); and where the cell of the wanted finding is.

    Raises:
        ValueError: No trace, or no race.
        IndexError: Fewer races than that.
        TypeError: Not a launch, or no number.
    """
    trace = require_trace(launch, "race")
    found = races_in(launch)
    if not found:
        raise ValueError(
            f"[viz.race] got a launch of {shortened(launch.kernel)} without a race; "
            "need one. Checks must be 'full': cuda.inspect(checks='full', trace=True)."
        )
    if not hasattr(number, "__index__"):
        raise TypeError(f"[viz.race] got number {number!r}; need an int.")
    if not 0 <= number < len(found):
        raise IndexError(f"[viz.race] got number {number}; need 0 to {len(found) - 1}.")
    wanted = range(min(len(found), _MOST_RACES))
    order, outcomes = Order(launch), Outcomes(launch)
    files = [each.site.file if each.site else None for each in found]
    threads, here = int(np.prod(launch.block)), 0
    rows: list[RaceData] = []
    steps = cache(lambda block: steps_of(trace, block, threads))
    for at in wanted if number in wanted else [*wanted[:-1], number]:
        if files[at] == files[number]:
            race, own = race_at(order, found[at], at, len(found))
            race = [replace(each, rounds=_in_rounds(steps, each)) for each in race]
            ends = outcomes.of(race[own], found[at].address or 0)
            here = len(rows) + own if at == number else here
            rows += [replace(each, ran=_ran(steps, each), results=ends)
                     for each in race]  # fmt: skip
    return rows, here

"""Which of two racing accesses the program means to come first.

Lines do not say it: the write of a loop's next round stands above the read that it must
not overtake. The threads' own order of these lines does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Finding, Launch, Site, Trace
from ....cuda.inspecting.trace import LANES
from ...traces.launches import ATOMIC, GLOBAL, READ, SHARED, Accesses, number_at

Rows = tuple[int | None, int | None]


class Stretches:
    """The steps of each warp between barriers of its block.

    Args:
        trace: With at least one step.
    """

    def __init__(self, trace: Trace) -> None:
        warp = trace.block.astype(np.int64) << 32 | trace.warp
        self._order = np.argsort(warp, kind="stable")
        own = warp[self._order]
        begins = np.concatenate([[True], own[1:] != own[:-1]])
        barrier = np.char.startswith(trace.opcode, "bar")
        narrow = np.char.startswith(trace.opcode, "bar.warp")
        wide = (barrier & ~narrow)[self._order]
        at = np.arange(len(own))
        self._warp_begin = np.maximum.accumulate(np.where(begins, at, 0))
        self._begin = np.maximum.accumulate(np.where(begins | wide, at, 0))
        self.number = self._back(self._since(wide, self._warp_begin) + wide)
        self.narrow = self._back(
            self._since(narrow[self._order], self._warp_begin) + narrow[self._order]
        )
        line = np.where(wide, trace.line[self._order], 0)
        self.after_line = self._back(line[self._begin])

    def _back(self, values: NDArray[Any]) -> NDArray[np.int64]:
        result = np.empty(len(values), np.int64)
        result[self._order] = values
        return result

    def _since(self, marks: NDArray[Any], begin: NDArray[Any]) -> NDArray[Any]:
        earlier = np.cumsum(marks) - marks
        since: NDArray[Any] = earlier - earlier[begin]
        return since

    def count(self, steps: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each step how many of `steps` its warp has in this stretch.

        Returns:
            Those before the step, and all.
        """
        marks = np.zeros(len(self._order), np.int64)
        marks[steps] = 1
        marks = marks[self._order]
        every = np.bincount(self._begin, marks, len(marks))[self._begin]
        return self._back(self._since(marks, self._begin)), self._back(every)


@dataclass(frozen=True)
class _Uses:
    """Accesses of one kind on one line.

    Attributes:
        rows: Of the accesses.
        before, every: Per step: those of its warp in its stretch, see `count`.
    """

    rows: NDArray[np.int64]
    before: NDArray[np.int64]
    every: NDArray[np.int64]


class ProgramOrder:
    """Which of two lines' accesses comes first as the program goes.

    Args:
        trace: Of the launch.
        every: Its accesses.
    """

    def __init__(self, trace: Trace, every: Accesses) -> None:
        self._every = every
        self._line = trace.line
        self.stretches = Stretches(trace)
        self._known: dict[tuple[int, int, int], _Uses] = {}

    def uses(self, row: int) -> NDArray[np.int64]:
        """Rows of the same kind on the same line of code."""
        return self._uses(row).rows

    def _uses(self, row: int) -> _Uses:
        every = self._every
        line = int(self._line[every.step[row]])
        key = line, int(every.kind[row]), int(every.space[row])
        if key not in self._known:
            like = (self._line[every.step] == key[0]) & (every.kind == key[1])
            rows = np.nonzero(like & (every.space == key[2]))[0]
            self._known[key] = _Uses(rows, *self.stretches.count(every.step[rows]))
        return self._known[key]

    def apart(self, one: int, other: int) -> bool:
        """Whether a barrier stands between two accesses of one block."""
        every, steps = self._every, self._every.step[[one, other]]
        if every.block[one] != every.block[other]:
            return False
        if every.thread[one] // LANES == every.thread[other] // LANES:
            narrow = self.stretches.narrow[steps]
            if narrow[0] != narrow[1]:
                return True
        number = self.stretches.number[steps]
        return bool(number[0] != number[1])

    def is_first(self, one: int, other: int) -> bool:
        """Whether the program means `one` to come before `other`.

        The thread of `one` runs the line of `other` too: the same round of it, before
        or after its own access, is what `other` is. If it does not, the thread of
        `other` may run the line of `one`. If neither does, the line of the last barrier
        tells which lines are reached by going round a loop.
        """
        step = self._every.step
        a, b = int(step[one]), int(step[other])
        ones, others = self._uses(one), self._uses(other)
        if others.every[a]:
            return bool(others.before[b] >= others.before[a])
        if ones.every[b]:
            return bool(ones.before[a] < ones.before[b])
        after, line = int(self.stretches.after_line[a]), self._line
        return bool((line[a] < after, line[a]) <= (line[b] < after, line[b]))


def _rows(every: Accesses, launch: Launch, site: Site, finding: Finding) -> Any:
    """Accesses of a thread to the cell of a finding."""
    space = SHARED if finding.space == "shared" else GLOBAL
    address = finding.address or 0
    block = number_at(site.block or (0, 0, 0), launch.grid)
    thread = number_at(site.thread or (0, 0, 0), launch.block)
    return np.nonzero(
        (every.space == space)
        & (every.block == block)
        & (every.thread == thread)
        & (every.address < address + (finding.size or 1))
        & (every.address + every.size > address)
    )[0]


def pair_of(
    order: ProgramOrder, trace: Trace, every: Accesses, launch: Launch, finding: Finding
) -> Rows:
    """Rows of the two accesses: those next to each other that no barrier parts.

    Returns:
        Of the finding's site and of its other thread; None where the trace lacks it.
    """
    assert finding.site is not None
    assert finding.other is not None
    wanted = {"read": READ, "atomic": ATOMIC}.get(finding.access or "", 2)
    mine = _rows(every, launch, finding.site, finding)
    mine = _on_line(trace, every, mine[every.kind[mine] == wanted], finding.site)
    other = _rows(every, launch, finding.other, finding)
    if wanted == READ:
        other = other[every.kind[other] != READ]
    other = _on_line(trace, every, other, finding.other)
    if not len(mine) or not len(other):
        return (int(mine[0]) if len(mine) else None), None
    apart = np.abs(every.step[mine][:, None] - every.step[other][None, :])
    pairs = np.stack(np.unravel_index(np.argsort(apart, axis=None), apart.shape), 1)
    rows = [(int(mine[one]), int(other[two])) for one, two in pairs]
    return next((each for each in rows if not order.apart(*each)), rows[0])


def _on_line(trace: Trace, every: Accesses, rows: Any, site: Site) -> Any:
    """Those on the line that a finding names; all where the trace has none there."""
    there = rows[trace.line[every.step[rows]] == (site.line or 0)]
    return there if len(there) else rows

"""What a racy launch leaves in the end: in each order, and with a barrier.

This run is known; the others are run again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....cuda import Launch
from ....cuda.inspecting.trace import LANES
from ...scene.drawing import number, shortened
from ...traces.arrays import arrays_of
from ...traces.launches import GLOBAL, SHARED, Accesses, accesses_of, number_at
from ...traces.steps import lanes_in
from .again import Again, Left
from .races import RaceData, Result
from .words import is_ordered

Results = tuple[tuple[str, Result], ...]


class Ends:
    """What a launch leaves in the end, of each of its races."""

    def __init__(self, launch: Launch, every: Accesses) -> None:
        self._launch = launch
        self._again = Again(launch)
        self._every = every.where(every.space == GLOBAL)
        self._known: Left | None = None

    def of(self, data: RaceData) -> Results:
        """The orders whose end is known, and that end; () where only this run's is.

        An order is right if it leaves what the barrier leaves.
        """
        sides = {"writer": data.writer, "other": data.other}
        late = "other" if data.early == "writer" else "writer"
        if not self._again.ptx or not is_ordered(data):
            return ()
        if min(sides["writer"].step, sides["other"].step) < 0:
            return ()
        fixed = self._with_barrier(sides[data.early].step, sides[late].step)
        now = self._now() if fixed else None
        if fixed is None or now is None:
            return ()
        left = {data.first: now, "barrier": fixed}
        opposite = "other" if data.first == "writer" else "writer"
        turned = self._turned(data)
        if turned is not None:
            left[opposite] = turned
        return self._told(left)

    def _now(self) -> Left | None:
        """What this run left, as its trace has it."""
        if self._known is None:
            found = {
                int(each.address[0]): each.values
                for each in arrays_of(self._launch, self._every)
                if each.values is not None
            }
            self._known = []
            for array in self._again.arrays:
                value = found.get(array.pointer, array.before)
                assert value is not None
                self._known.append(np.asarray(value).reshape(array.shape))
        return self._known

    def _with_barrier(self, early: int, late: int) -> Left | None:
        """What is left with a barrier between two rows of the trace, and no finding."""
        trace = self._launch.trace
        instruction = trace.columns["instruction"]
        lines = [each[4] for each in trace._instructions]
        first, last = (lines[int(instruction[row])] for row in (early, late))
        for line, after in self._places(lines, first, last):
            ran = self._again.run(self._again.with_barrier(line, after))
            if ran and not any(each.severity == "error" for each in ran[1].findings):
                return ran[0]
        return None

    def _places(
        self, lines: list[int], first: int, last: int
    ) -> list[tuple[int, bool]]:
        """PTX lines that all threads run together: just behind the earlier access."""
        trace = self._launch.trace
        x, y, z = self._launch.block
        instruction = trace.columns["instruction"].astype(np.int64)
        whole = lanes_in(x * y * z)
        full = trace.mask == whole[trace.warp]
        count = np.bincount(instruction, minlength=len(lines))
        together = np.bincount(instruction[full], minlength=len(lines)) == count
        warp = trace.block.astype(np.int64) * len(whole) + trace.warp
        pairs = np.unique(np.stack([instruction, warp]), axis=1)[0]
        every = np.bincount(pairs, minlength=len(lines)) == len(np.unique(warp))
        good = {lines[at] for at in np.nonzero(together & every & (count > 0))[0]}
        found = [(first, True)] if first in good else []
        later = sorted(line for line in good if line > first)
        if last > first:
            later = [line for line in later if line <= last]
        return [*found, *((line, False) for line in later[:2])][:2]

    def _turned(self, data: RaceData) -> Left | None:
        """What is left where the warps run the other way round, if that turns these."""
        ptx = self._again.backwards()
        if not ptx or data.same_warp or data.space != "shared":
            return None
        ran = self._again.run(ptx, trace=True)
        if ran is None or any(each.kind == "deadlock" for each in ran[1].findings):
            return None
        return ran[0] if self._is_turned(data, ran[1]) else None

    def _is_turned(self, data: RaceData, launch: Launch) -> bool:
        """Did the two accesses come in the other order?"""
        own, every = accesses_of(self._launch.trace), accesses_of(launch.trace)
        threads = launch.block[0]
        steps = []
        for side in (data.writer, data.other):
            row = int(np.nonzero(own.step == side.step)[0][0])
            thread = number_at(side.thread, launch.block)
            row += int(np.nonzero(own.thread[own.step == side.step] == thread)[0][0])
            opposite = threads - LANES - thread // LANES * LANES + thread % LANES
            block = number_at(side.block, launch.grid)
            same = (every.space == SHARED) & (every.address == own.address[row])
            same &= (every.kind == own.kind[row]) & (every.block == block)
            same &= launch.trace.line[every.step] == side.line
            rows = np.nonzero(same & (every.thread == opposite))[0]
            if not len(rows):
                return False
            steps.append(int(every.step[rows[0]]))
        first = "writer" if steps[0] < steps[1] else "other"
        return first != data.first

    def _told(self, left: dict[str, Left]) -> Results:
        """The first cell that differs among the runs, in each of them."""
        place = self._cell(list(left.values()))
        if place is None:
            return ()
        at, cell = place
        array = self._again.arrays[at]
        index = np.unravel_index(cell, array.shape or (1,))
        name = shortened(array.name or f"array {at + 1}", 12)
        name += f"[{', '.join(str(int(each)) for each in index)}]"
        values = {order: each[at].reshape(-1)[cell] for order, each in left.items()}
        return tuple(
            (order, Result(name, number(value.item()), _same(value, values["barrier"])))
            for order, value in values.items()
        )

    def _cell(self, runs: list[Left]) -> tuple[int, int] | None:
        """The array and the cell, flat, that tells the runs apart, else the last."""
        for at, array in enumerate(self._again.arrays):
            assert array.dtype is not None
            if array.dtype.kind in "cV":
                continue
            flat = [run[at].reshape(-1) for run in runs]
            apart = np.zeros(flat[0].shape, bool)
            for each in flat[1:]:
                apart |= ~((each == flat[0]) | ((each != each) & (flat[0] != flat[0])))
            if apart.any():
                return at, int(apart.argmax())
        return None


def _same(one: Any, other: Any) -> bool:
    return bool(one == other or (one != one and other != other))

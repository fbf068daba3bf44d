"""What really ran around a race: the steps of the two warps, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ....cuda import Launch, Trace
from ....cuda.inspecting.trace import LANES
from ...traces.launches import Place, number_at
from ...traces.steps import Steps, steps_of

MOST = 13  # boxes beside each other
_BEFORE, _AFTER, _NEAR = 3, 2, 4


@dataclass(frozen=True)
class Box:
    """One warp runs one line.

    Attributes:
        row: Of the two rows of the picture, 0 for the warp that came first.
        line: 0 where it is not known.
        does: What the racing thread does here: "reads"; "" for nothing.
        waits: Does the warp arrive at a barrier?
        left_out: How many boxes are not shown before this one.
    """

    row: int
    line: int
    does: str
    waits: bool
    left_out: int = 0


@dataclass(frozen=True)
class Happened:
    """What ran around a race.

    Attributes:
        rows: The block and the warp of each row.
        boxes: In the order in which they ran.
    """

    rows: tuple[tuple[int, int], ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Access:
    """One of the two accesses: its thread, what it does, its row of the trace."""

    block: Place
    thread: Place
    kind: str
    step: int


class Ran:
    """The steps of a launch's blocks, each counted once."""

    def __init__(self, launch: Launch, trace: Trace) -> None:
        self._launch = launch
        threads = launch.block[0] * launch.block[1] * launch.block[2]
        self._steps = lru_cache(maxsize=4)(lambda at: steps_of(trace, at, threads))

    def around(self, one: Access, other: Access) -> Happened | None:
        """What the two warps ran around two accesses; None where the trace lacks one.

        Args:
            one, other: The accesses.
        """
        pair = sorted((one, other), key=lambda each: each.step)
        if pair[0].step < 0:
            return None
        rows = [self._place(each) for each in pair]
        if rows[0] == rows[1]:
            rows.pop()
        every = sorted(
            (int(steps.first[at]), row, int(at), steps)
            for row, (block, warp) in enumerate(rows)
            for steps in [self._steps(block)]
            for at in np.nonzero(steps.warp == warp)[0]
        )
        boxes: list[Box] = []
        marked: list[int] = []
        for first, row, at, steps in every:
            done = [
                each.kind
                for each in pair
                if first <= each.step <= int(steps.last[at])
                and self._place(each) == rows[row]
            ]
            marked += [len(boxes)] * bool(done)
            boxes.append(_box(row, steps, at, " and ".join(dict.fromkeys(done))))
        return Happened(tuple(rows), _near(boxes, marked)) if marked else None

    def _place(self, access: Access) -> tuple[int, int]:
        thread = number_at(access.thread, self._launch.block)
        return number_at(access.block, self._launch.grid), thread // LANES


def _box(row: int, steps: Steps, at: int, does: str) -> Box:
    return Box(row, max(int(steps.line[at]), 0), does, bool(steps.arrives[at]))


def _near(boxes: list[Box], marked: list[int]) -> tuple[Box, ...]:
    """The boxes around both accesses; of many between them only the ends."""
    low, high = max(marked[0] - _BEFORE, 0), min(marked[-1] + _AFTER + 1, len(boxes))
    shown = list(range(low, high))
    if len(shown) > MOST:
        middle = range(marked[0] + _NEAR, marked[-1] - _NEAR + 1)
        shown = [at for at in shown if at not in middle]
    found, previous = [], low - 1
    for at in shown:
        box = boxes[at]
        left_out = at - previous - 1
        found.append(Box(box.row, box.line, box.does, box.waits, left_out))
        previous = at
    return tuple(found)

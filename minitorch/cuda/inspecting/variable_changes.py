"""Owns what variables of one block held at each step, by the learner's names.

Must not know where the values come from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lane_memory import LANES, Lanes, LaneValues


def typed_lanes(bits: NDArray[np.uint64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Read zero-extended 64-bit values as a type that is not wider."""
    if dtype == np.bool_:
        return np.asarray((bits & np.uint64(0xFF)) != 0)
    narrow: NDArray[Any] = np.ascontiguousarray(bits).view(dtype)
    return np.asarray(narrow.reshape(*bits.shape, 8 // dtype.itemsize)[..., 0])


@dataclass(frozen=True)
class VariableChanges:
    """What the variables of a block's threads became, in order of steps, as columns.

    A row is one variable of one warp that got new values in some lanes. A variable of
    Python that takes two types has two entries of one name: its latest row counts.

    Attributes:
        names: Of the variables; elements of arrays are `a[0]`, members `p.x`. A name
            that hides another one has its line or function behind it: `i (line 8)`,
            `i (in square)`.
        dtypes: Of the variables.
        lines: Source line of each one's declaration.
        step: The trace's step after which the values are there, (n,).
        warp: Of the block, (n,).
        name: Number of the variable in `names`, (n,).
        values: Bits of each lane, zero-extended, (n, 32); see `typed`.
        written: The lanes that got a new value, (n, 32).
    """

    names: tuple[str, ...]
    dtypes: tuple[np.dtype[Any], ...]
    lines: tuple[int, ...]
    step: NDArray[np.int64]
    warp: NDArray[np.int64]
    name: NDArray[np.int64]
    values: NDArray[np.uint64]
    written: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.step)

    def typed(self, row: int) -> Lanes:
        """The values of a row in the variable's type, (32,); 0 in lanes without one."""
        return typed_lanes(self.values[row], self.dtypes[int(self.name[row])])

    def at(self, step: int, warp: int) -> dict[str, tuple[Lanes, Lanes]]:
        """Variables of a warp after a step: values, and which lanes have one.

        Args:
            step: Of the trace.
            warp: In the block.

        Returns:
            By name, in the order of `names`; without those that no lane has yet.
        """
        latest: dict[int, int] = {}  # rows by name, the oldest first
        known: dict[int, Lanes] = {}
        end = int(np.searchsorted(self.step, step, side="right"))
        for row in np.nonzero(self.warp[:end] == warp)[0].tolist():
            number = int(self.name[row])
            latest.pop(number, None)
            latest[number] = row
            known[number] = known.get(number, np.False_) | self.written[row]
        newest = {self.names[number]: number for number in latest}
        return {
            name: (self.typed(latest[newest[name]]), known[newest[name]])
            for name in dict.fromkeys(self.names)
            if name in newest
        }


NOTHING = VariableChanges(
    (), (), (),
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64),
    np.zeros((0, LANES), np.uint64), np.zeros((0, LANES), bool),
)  # fmt: skip


class Columns:
    """Rows of changes as they are found."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, Lanes, Lanes]] = []
        self._now: dict[tuple[int, int], LaneValues] = defaultdict(LaneValues)

    def note(
        self, step: int, warp: int, name: int, values: Lanes, lanes: Lanes
    ) -> None:
        """Note what a variable of a warp is now in some lanes, if that is news."""
        now = self._now[warp, name]
        news = now.put(values, lanes)
        if news.any():
            self._rows.append((step, warp, name, now.values.copy(), news))

    def changes(
        self,
        names: Sequence[str],
        dtypes: Sequence[np.dtype[Any]],
        lines: Sequence[int],
    ) -> VariableChanges:
        """All of them."""
        columns = zip(*self._rows, strict=True) if self._rows else [()] * 5
        step, warp, name, values, news = columns
        return VariableChanges(
            tuple(names),
            tuple(dtypes),
            tuple(lines),
            np.array(step, np.int64),
            np.array(warp, np.int64),
            np.array(name, np.int64),
            np.array(values, np.uint64).reshape(-1, LANES),
            np.array(news, bool).reshape(-1, LANES),
        )

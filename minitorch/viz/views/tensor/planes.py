"""Where elements and cells are drawn in the tensor view."""

from __future__ import annotations

import math

import numpy as np

from ...figure.figure import WIDTH
from ...scene.drawing import width_of
from .places import Memory
from .seen import Index, Seen
from .values import width_for

LEFT, HIGH = 34.0, 26.0
IN_A_ROW = 24  # cells of storage
CELL_WIDE = (WIDTH - LEFT) / IN_A_ROW
CELL_PITCH = HIGH + 20
CELL_BREAKS = [LEFT + at * CELL_WIDE for at in range(2, IN_A_ROW, 2)]
_CELL_TOP = 28.0


def cell_place(memory: Memory, cell: int) -> tuple[float, float] | None:
    """Where a cell of storage is drawn; None if it is not."""
    if cell not in memory.shown:
        return None
    down, right = divmod(cell - memory.shown.start, IN_A_ROW)
    return LEFT + right * CELL_WIDE, _CELL_TOP + down * CELL_PITCH


def label_of(outer: list[int]) -> str:
    """What a plane is called: [0, 1, :, :]; of many dimensions only those that vary."""
    known = [
        "…" if each == -1 else str(each)
        for each in (outer if len(outer) < 5 else [-1, *outer[-3:]])
    ]
    return f"[{', '.join([*known, ':', ':'])}]"


class Planes:
    """Where the elements of one array are drawn: planes of rows and columns.

    Args:
        array: whose elements.
        room: the width that they may take.
    """

    def __init__(self, array: Seen, room: float) -> None:
        window = array.window
        self.columns = window[-1] if window else range(1)
        self.rows = window[-2] if len(window) > 1 else range(1)
        self.outer = window[:-2]
        shape = tuple(map(len, self.outer))
        self.outers = list(np.ndindex(shape)) if 0 not in shape else []
        label = width_of(label_of([0] * len(shape)), 10.5, mono=True) + 14
        wanted = shape[-1] if len(shape) > 1 else min(math.prod(shape), 2)
        self.across = max(1, min(wanted, int(room / (LEFT + label))))
        whole = room / self.across
        self.wide = min(
            width_for(array.values), (whole - LEFT - 6) / max(len(self.columns), 1)
        )
        self.plane = LEFT + max(
            self.wide * len(self.columns) + 14, label if self.outer else 0
        )
        self.top = 42.0 if self.outer else 22.0
        self.high = self.top + HIGH * len(self.rows) + 10
        self.height = self.high * -(-len(self.outers) // self.across)

    def corner(self, plane: int) -> tuple[float, float]:
        """Where a plane's first element is drawn."""
        down, right = divmod(plane, self.across)
        return LEFT + right * self.plane, self.top + down * self.high

    def breaks(self) -> list[float]:
        """Between two columns, where the picture may go on in a new line."""
        starts = [at * self.plane + LEFT for at in range(self.across)]
        return [x + at * self.wide for x in starts for at in range(len(self.columns))][
            1:
        ]

    def place(self, index: Index) -> tuple[float, float] | None:
        """Where an element is drawn; None if it is not."""
        if not index:
            return self.corner(0)
        at_row = index[-2] if len(index) > 1 else 0
        outer = tuple(
            at - along.start for at, along in zip(index[:-2], self.outer, strict=True)
        )
        if (
            index[-1] not in self.columns
            or at_row not in self.rows
            or outer not in self.outers
        ):
            return None
        x, y = self.corner(self.outers.index(outer))
        return (
            x + (index[-1] - self.columns.start) * self.wide,
            y + (at_row - self.rows.start) * HIGH,
        )

    def places(self) -> list[tuple[float, float]]:
        """Where each element of the window is drawn, in their order."""
        across = range(len(self.columns))
        return [
            (x + right * self.wide, y + down * HIGH)
            for x, y in map(self.corner, range(len(self.outers)))
            for down in range(len(self.rows))
            for right in across
        ]

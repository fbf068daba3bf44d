"""Where the step view draws threads, cells and lines of code.

The script `assets/step.js` gets these numbers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ....cuda.inspecting.trace import LANES
from ...figure.figure import WIDTH
from .uses import Cells

_GAP = 92.0  # between threads and cells: room for arrows and indices
_MARGIN = 52.0  # for the brackets of warps
_CELL = 25.0
_VALUES = 128  # cells of an array that is drawn with values
_MOST_ROWS, _MOST_COLUMNS = 40, 66
_LETTER = 6.1
_MOST_ARRAYS = 3


def tenth(value: float) -> float:
    """A length in tenths of pixels; the script rounds the same way."""
    return math.floor(value * 10 + 0.5) / 10


def box(x: float, y: float, w: float, h: float, r: float = 0) -> str:
    """A rectangle as a part of a path, with round corners."""
    x, y, w, h = (tenth(each) for each in (x, y, w, h))
    if not r:
        return f"M{x:g} {y:g}h{w:g}v{h:g}h{-w:g}z"
    across, down = f"{tenth(w - 2 * r):g}", f"{tenth(h - 2 * r):g}"
    turn = f"a{r:g} {r:g} 0 0 1 "
    return (
        f"M{tenth(x + r):g} {y:g}h{across}{turn}{r:g} {r:g}v{down}{turn}{-r:g} {r:g}"
        f"h-{across}{turn}{-r:g} {-r:g}v-{down}{turn}{r:g} {-r:g}z"
    )


_NUMBER = re.compile(r"(-?[\d,]+)\.(\d+)(e.*)?")


def fitted(words: str, most: int) -> str:
    """A value in so many letters: with fewer digits behind the point, else cut off.

    Example:
        >>> [fitted(each, 5) for each in ("0.04762", "1.235e+05", "1,234.5", "0.00012")]
        ['0.047', '1e+05', '1,234', '≈0']
    """
    if len(words) <= most:
        return words
    found = _NUMBER.fullmatch(words)
    if found:
        power = found[3] or ""
        digits = found[2][: max(most - len(found[1]) - 1 - len(power), 0)]
        short = f"{found[1]}.{digits}{power}" if digits else found[1] + power
        if len(short) <= most:
            return short if re.search("[1-9]", short) else "≈0"
    return f"{words[: most - 1]}…"


@dataclass(frozen=True)
class Threads:
    """Where the threads of a block are drawn: columns, size of a cell, corner, gap."""

    count: int
    columns: int
    cell: float
    x: float
    y: float
    gap: float

    @property
    def warps(self) -> int:
        """Warps of the block."""
        return -(-self.count // LANES)

    @property
    def rows(self) -> int:
        """Rows of cells that a warp has."""
        return LANES // self.columns

    def corner(self, thread: int) -> tuple[float, float]:
        """Where a thread is drawn."""
        row, column = divmod(thread, self.columns)
        return (
            tenth(self.x + column * self.cell),
            tenth(self.y + row * self.cell + thread // LANES * self.gap),
        )

    @property
    def bottom(self) -> float:
        """Below the last thread."""
        return self.corner(self.warps * LANES - 1)[1] + self.cell


@dataclass(frozen=True)
class Sheet:
    """Where the cells of an array are drawn.

    Attributes:
        array: Its number.
        columns, rows: Drawn; `first` is the first cell.
        x, y, w, h: Corner, and size of a cell.
        wide: Cells in a row of the array.
        values: Is there room for values?
    """

    array: int
    columns: int
    rows: int
    first: int
    count: int
    x: float
    y: float
    w: float
    h: float
    wide: int
    values: bool

    def place(self, cell: int) -> tuple[float, float] | None:
        """Where a cell is drawn; None for one that is not."""
        row, column = divmod(cell - self.first, self.wide)
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        return tenth(self.x + column * self.w), tenth(self.y + row * self.h)

    @property
    def bottom(self) -> float:
        """Below the last row."""
        return self.y + self.rows * self.h


@dataclass(frozen=True)
class Layout:
    """Where everything of the step view is drawn, below the axis of time."""

    code: float
    threads: Threads
    sheets: tuple[Sheet, ...]


def _threads(count: int, right: float) -> Threads:
    columns, cell, gap = (
        (8, 36.0, 10.0) if count <= 64 else
        (16, 20.0, 6.0) if count <= 256 else
        (32, 11.6, 2.0)
    )  # fmt: skip
    return Threads(count, columns, cell, tenth(right - columns * cell), 40.0, gap)


def _columns(each: Cells, longest: int) -> int:
    """Cells in a row: those of the array, or as many as leave room for values."""
    if len(each.shape) > 1:
        return each.shape[-1]
    if each.count <= _VALUES:
        return 8 if longest <= 3 or each.count > 64 else 4
    return 16 if each.count <= 512 else 32


def _wanted(each: Cells, longest: int, most: float) -> tuple[int, float, bool]:
    """Cells in a row, how wide a cell is, and whether values fit."""
    wide = _columns(each, longest)
    room = most / min(wide, _MOST_COLUMNS)
    values = each.count <= _VALUES and room >= _CELL
    longest = min(longest, 4 if wide >= 8 else 9)
    width = min(max(_CELL, _LETTER * longest + 5), room) if values else min(room, _CELL)
    return wide, width, values


def _sheet(at: int, each: Cells, want: tuple[int, float, bool], y: float, focus: int,
           rows: int) -> Sheet:  # fmt: skip
    wide, width, values = want
    every = -(-each.count // wide)
    shown = min(every, rows)
    first = max(0, min(focus // wide - shown // 2, every - shown)) * wide
    return Sheet(
        array=at, columns=min(wide, _MOST_COLUMNS), rows=shown, first=first,
        count=each.count, x=0, y=y, w=tenth(width),
        h=_CELL if values else tenth(min(width, _CELL)), wide=wide, values=values,
    )  # fmt: skip


def layout(
    threads: int, arrays: tuple[Cells, ...], longest: dict[int, int],
    focus: dict[int, int],
) -> Layout:  # fmt: skip
    """Divide the width: code, threads of the block, arrays of shared memory.

    Args:
        threads: Of a block.
        arrays: All that the view names.
        longest: For each array the letters of its longest value.
        focus: For each array a cell that must be seen.
    """
    shown = [at for at, each in enumerate(arrays) if each.shared][:_MOST_ARRAYS]
    most = 312.0 if threads <= 64 else 200.0
    wants = {at: _wanted(arrays[at], longest.get(at, 1), most) for at in shown}
    room = max((min(w[0], _MOST_COLUMNS) * w[1] for w in wants.values()), default=0)
    room = tenth(max(room, 200)) if shown else 0
    left = WIDTH - room
    place = _threads(threads, left - (_GAP if shown else 0))
    sheets, y = [], 40.0
    for at in shown:
        rows = _MOST_ROWS // len(shown)
        sheet = _sheet(at, arrays[at], wants[at], y, focus.get(at, 0), rows)
        sheets.append(Sheet(**{**sheet.__dict__, "x": left}))
        y = sheets[-1].bottom + 56
    return Layout(tenth(place.x - _MARGIN - 16), place, tuple(sheets))

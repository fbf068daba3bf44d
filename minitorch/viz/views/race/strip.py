"""The picture of an array's cells, those of a race hatched."""

from __future__ import annotations

from ...figure.figure import WIDTH
from ...scene.drawing import Drawing
from ...scene.marks import WRONG
from ...scene.phrases import counted
from .races import RaceData, own_cell

_CELLS = 64


def _size(data: RaceData) -> int:
    return max(data.size, data.cells[-1] + 1)


def window_of(data: RaceData) -> range:
    """The cells that are drawn: all, or those around the racing ones."""
    size = _size(data)
    start = data.cells[0] - 8
    own = own_cell(data)
    if not start <= own < start + _CELLS:
        start = own - _CELLS // 2
    first = 0 if size <= _CELLS else max(0, min(start, size - _CELLS))
    return range(first, min(first + _CELLS, size))


def cell_width(data: RaceData) -> float:
    """Room of each cell."""
    return min(WIDTH / max(len(window_of(data)), 1), 30.0)


def ring_of(data: RaceData, cell: int) -> tuple[float, ...]:
    """Where the ring around a cell is; () for a cell that is not drawn."""
    if not data.cells or cell not in window_of(data):
        return ()
    wide = cell_width(data)
    x = (cell - window_of(data)[0]) * wide
    return round(x + 0.8, 2), 28.0, round(wide - 1.6, 2), 22.0


def breaks_of(data: RaceData) -> list[float]:
    """Where the row of cells may go on in a new line: after every fourth."""
    return [at * cell_width(data) for at in range(4, len(window_of(data)), 4)]


def draw_strip(data: RaceData) -> Drawing:
    """The array's cells around the racing ones; those hatched."""
    view = Drawing(WIDTH, 74)
    if not data.cells:
        return view
    count = len(data.cells)
    title = f"One finding, {counted(count, 'cell')}"
    view.runs(0, 14, 13, (title, "bold"), ("  the same two lines every time", "mut"))
    shown = window_of(data)
    wide = cell_width(data)
    racing = set(data.cells)
    for at in shown:
        x, wrong = (at - shown[0]) * wide, at in racing
        view.rect(
            x + 0.8, 28, wide - 1.6, 22, rx=3,
            fill=WRONG if wrong else "var(--off)",
            stroke="var(--bad)" if wrong else None,
        )  # fmt: skip
        if wrong:
            view.rect(x + 2.2, 33, wide - 4.4, 12, rx=2, fill="var(--bg)")
        view.text(
            x + wide / 2, 43, at, 9.5 if at < 100 else 7.5 if at < 1000 else 6,
            anchor="middle", mono=True,
            fill="var(--ink)" if wrong else "var(--mut)",
        )  # fmt: skip
    name = data.array or "the array"
    words = f"cells of {name}"
    if len(shown) < _size(data):
        words += f": {shown[0]:,} to {shown[-1]:,} of {_size(data):,}"
    view.text(0, 66, words, 12, fill="var(--mut)")
    return view

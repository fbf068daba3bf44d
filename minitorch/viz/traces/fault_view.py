"""The picture of the cell that a kernel missed, beside those that there are."""

from __future__ import annotations

from dataclasses import replace

from ..figure.figure import WIDTH, Figure
from ..scene.drawing import Drawing, number, shortened, width_of
from ..scene.marks import WRONG, triangle
from .faults import Fault

_WIDE, _HIGH = 52.0, 24.0
_NEAR = 8  # cells drawn of the array
_FAR = 3  # cells beyond it, the one that was missed among them


def with_alarm(figure: Figure, *faults: Fault | None) -> Figure:
    """A picture of something else, with what went wrong as its headline."""
    found = [each for each in faults if each is not None]
    if not found:
        return figure
    said = " ".join(each.sentence for each in found)
    return replace(figure, alarm=said, findings=max(figure.findings, len(found)))


def draw_missed(fault: Fault) -> Drawing:
    """The array's cells near the one that does not exist.

    Args:
        fault: With an array.
    """
    view = Drawing(WIDTH, 84)
    view.path(f"M0 0.5H{WIDTH}", stroke="var(--line)")
    title = f"Line {fault.line} misses {shortened(fault.array, 30)}"
    if fault.fixed:
        title += fault.fixed.format(fault.cell)
    after = fault.cell >= fault.count
    away = fault.cell - fault.count if after else -fault.cell - 1
    cells_away = f"{number(away + 1)} cells" if away else "the cell"
    where = "behind its last" if after else "before its first"
    view.runs(0, 22, 13, (title, "bold"), (f"  {cells_away} {where}", "mut"))
    near = min(_NEAR, fault.count)
    cells = range(fault.count - near, fault.count) if after else range(near)
    gap = 30.0 if away >= _FAR else away * _WIDE
    missed = near * _WIDE + gap if after else 0.0
    start = 0.0 if after else _WIDE + gap
    for at, cell in enumerate(cells):
        _cell(view, start + at * _WIDE, fault.fixed.format(cell) or str(cell))
    if away >= _FAR:
        middle = missed - gap / 2 if after else _WIDE + gap / 2
        view.text(middle, 56, "…", 13, fill="var(--mut)", anchor="middle")
    _missing(view, missed, fault.fixed.format(fault.cell) or str(fault.cell))
    return view


def _cell(view: Drawing, x: float, cell: str) -> None:
    view.rect(x + 1, 38, _WIDE - 2, _HIGH, rx=3, fill="var(--off)")
    _number(view, x, cell, "var(--mut)")


def _missing(view: Drawing, x: float, cell: str) -> None:
    view.rect(x + 1, 38, _WIDE - 2, _HIGH, rx=3, fill=WRONG, stroke="var(--bad)")
    view.rect(x + 5, 42, _WIDE - 10, _HIGH - 8, rx=2, fill="var(--bg)")
    _number(view, x, cell, "var(--bad)")
    triangle(view, x + _WIDE / 2, 64, 6)


def _number(view: Drawing, x: float, words: str, fill: str) -> None:
    size = min(10.0, 10.0 * (_WIDE - 12) / width_of(words, 10, mono=True))
    view.text(x + _WIDE / 2, 53.5, words, size, fill=fill, anchor="middle", mono=True)

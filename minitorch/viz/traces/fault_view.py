"""The picture of the cell that a kernel missed, beside those that there are."""

from __future__ import annotations

from dataclasses import replace

from ..figure.figure import Figure
from ..scene.drawing import Drawing, width_of
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

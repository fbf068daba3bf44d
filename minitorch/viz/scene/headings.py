"""Titles of marks, and notes beside them or, where there is no room, below."""

from __future__ import annotations

from typing import Any

from .drawing import Drawing, kept, shortened
from .scene import Cells, Code, Scene, kind_of

_TITLE, _NOTE, _GAP = 7.4, 5.8, 12.0  # widths of a letter, and of what is between


def longest(scene: Scene, words: Any) -> int:
    """Return how many letters a title or note has at most in any state."""
    kind = kind_of(words)
    if isinstance(words, str):
        return len(words)
    if kind == "Chosen":
        return max([longest(scene, each) for each in words.channels])
    values = words
    if kind == "Table":
        values = words.values
    elif kind == "Latest":
        values = words.value
    most = 0
    for at in values.ravel():
        most = max(most, len(scene.words[at]) if at >= 0 else 0)
    return most


def is_one_line(scene: Scene, mark: Cells | Code, room: float, more: int) -> bool:
    """Return whether a note, and so many letters, fit beside the title in any state."""

    def widths() -> list[float]:
        note = longest(scene, mark.note)
        return [_TITLE * longest(scene, mark.title) + _GAP + _NOTE * note]

    fits: bool = kept(mark, "heading", widths)[0] + _NOTE * more <= room
    return fits


def draw_heading(
    view: Drawing, room: float, title: str, note: str, beside: bool
) -> None:
    """Draw a title, and its note beside or below it."""
    title = shortened(title, int(room / _TITLE))
    most = int((room - (_TITLE * len(title) + _GAP if beside else 0)) / _NOTE)
    note = shortened(note, most)
    if beside and note:
        view.runs(0, 14, 13, (title, "bold"), (f" · {note}", "note"), mono=False)
        return
    view.text(0, 14, title, 13, bold=True)
    if note:
        view.text(0, 30, note, 11.5, fill="var(--mut)")

"""Rows of words with a bar each as SVG."""

from __future__ import annotations

from .drawing import Drawing, tenth
from .palette import depth
from .scene import Bars, Scene, State, first, numbers, spoken


def draw_bars(scene: Scene, mark: Bars, state: State, room: float) -> Drawing:
    view = Drawing(room)
    view.text(0, 14, spoken(scene, mark.title, state), 13, bold=True)
    rows = list(range(len(mark.names)))
    left, high, wide = mark.names_room, 27, room - 50
    step = tenth((wide - left) / len(mark.heads))
    low = 20 if step < 70 else 0  # words stand below the names of their rows
    if low:
        left, high, step = 0, high + low, tenth(wide / len(mark.heads))
    lengths, active = numbers(mark.lengths, state, rows), first(mark.active, state)
    for at, head in enumerate(mark.heads):
        view.text(tenth(left + step * (at + 1)), 34, head, 11.5, fill="var(--mut)",
                  anchor="end")  # fmt: skip
    for row, name in enumerate(mark.names):
        y = 60 + high * row
        view.path(f"M0 {y - 18}H{room:g}", stroke="var(--line)")
        view.text(0, y, name, 12.5, bold=row == active)
    for at, column in enumerate(mark.columns):
        for row, words in enumerate(numbers(column, state, rows)):
            if words >= 0:
                view.text(
                    tenth(left + step * (at + 1)), 60 + low + high * row,
                    scene.words[words],
                    12.5, anchor="end", bold=row == active,
                )  # fmt: skip
    for row, length in enumerate(lengths):
        if length > 0:
            wide = tenth(40 * length / max(lengths))
            view.rect(room - 42, 51 + low + high * row, wide, 8, rx=2, fill=depth(30))
    view.height = 60 + high * len(mark.names) - 14
    return view

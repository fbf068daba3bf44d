"""Owns the marks of the element in the focus and of its cell. Must not know panels."""

from __future__ import annotations

import numpy as np

from ...scene.drawing import Drawing
from ...scene.marks import ring
from .places import Memory
from .planes import CELL_WIDE, HIGH, Planes, cell_place
from .seen import Index, Seen


def others_of(array: Seen) -> list[Index]:
    """Elements drawn that lie in the same cell as the focus."""
    if array.focus is None:
        return []
    found = np.argwhere(array.cells() == array.cell_of(array.focus)).tolist()
    every = [
        tuple(along[at] for along, at in zip(array.window, each, strict=True))
        for each in found
    ]
    return [each for each in every if each != array.focus]


def element_focus(array: Seen, planes: Planes) -> Drawing:
    """The ring, and what marks other elements of the same cell."""
    view = Drawing()
    for other in others_of(array):
        place = planes.place(other)
        if place is not None:
            view.rect(
                place[0] + 2, place[1] + 2, planes.wide - 4, HIGH - 4, rx=3,
                fill="none", stroke="var(--ink)", stroke_width=1.2,
                stroke_dasharray="2.6 1.8",
            )  # fmt: skip
    place = planes.place(array.focus) if array.focus is not None else None
    if place is not None:
        ring(view, *place, planes.wide, HIGH)
    return view


def cell_focus(memory: Memory) -> Drawing:
    """The ring around the cell that the focus lies in."""
    view = Drawing()
    place = None if memory.focus is None else cell_place(memory, memory.focus)
    if place is not None:
        ring(view, *place, CELL_WIDE, HIGH)
    return view

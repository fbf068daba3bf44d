"""The picture of one state of a scene, at any width.

Pages draw with the same functions, as `figure/javascript.py` translates them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .arrows import Placed, draw_arrows, draw_guide
from .bars import draw_bars
from .cells import draw_cells, grid_of
from .code import draw_code
from .drawing import Drawing, tenth
from .frames import draw_frames
from .scene import Key, Panel, Scene, State, kind_of, mark_of
from .track import draw_track
from .waves import draw_waves

_MARKS: dict[str, Callable[..., Drawing]] = {
    "Bars": draw_bars,
    "Cells": draw_cells,
    "Code": draw_code,
    "Frames": draw_frames,
    "Track": draw_track,
    "Waves": draw_waves,
}
_BELOW, _ARROWS = 14.0, 44.0  # between lines of panels, and beside arrays


@dataclass(frozen=True)
class Part:
    """A mark and where it is; `slot` is it, or the `OneOf` that it is of."""

    slot: Any
    mark: Any
    x: float
    y: float
    room: float
    drawing: Drawing


def _key(key: Key, room: float) -> Drawing:
    view = Drawing(room)
    view.path(f"M0 4H{room:g}", stroke="var(--line)")
    view.text(0, 28, "Key", 12, bold=True)
    x, y = 40.0, 28.0
    for swatch, meaning, wide in key.entries:
        if x + 22 + wide > room and x > 40:
            x, y = 40.0, y + 23
        view.element("g", swatch, transform=f"translate({tenth(x):g} {y - 12:g})")
        view.text(tenth(x + 22), y, meaning, 12, fill="var(--mut)")
        x = tenth(x + 40 + wide)
    view.height = y + 4
    return view


def flow(panels: tuple[Panel, ...], width: float) -> list[list[tuple[Panel, float]]]:
    """Return panels in lines with their widths: beside each other while they fit."""
    lines: list[list[Panel]] = []
    room = -1.0
    for panel in panels:
        room -= panel.gap + panel.width
        if room < 0:
            lines.append([])
            room = width - panel.width
        lines[-1].append(panel)
    if len(lines) == len(panels):
        lines = sorted(lines, key=lambda line: int(line[0].last))
    placed: list[list[tuple[Panel, float]]] = []
    for line in lines:
        used = sum([each.width for each in line])
        used += sum([each.gap for each in line[1:]])
        growing = len([each for each in line if each.grow or len(line) == 1])
        more = (width - used) / max(growing, 1)
        placed.append([
            (each, tenth(each.width + (more if each.grow or len(line) == 1 else 0)))
            for each in line
        ])  # fmt: skip
    return placed


def parts_of(
    scene: Scene, state: State, width: float, feet: Sequence[float] = ()
) -> tuple[list[Part], float, list[list[float]]]:
    """Return the parts of a state's picture, so many pixels wide, and its height.

    With the heights of controls below panels also where these are: left and top.
    """
    parts: list[Part] = []
    placed: Placed = {}
    below: list[list[float]] = []
    ends = [name for over in scene.over if kind_of(over) == "Arrows"
            for name in [over.start, *over.targets]]  # fmt: skip
    y = 0.0
    for line in flow(scene.panels, width):
        x = bottom = foot = 0.0
        starts: list[float] = []
        for panel, room in line:
            x += panel.gap if x else 0
            starts.append(x)
            top = y
            for slot in panel.marks:
                mark = mark_of(slot, state)
                cells = kind_of(mark) == "Cells"
                # Below each other, arrays leave room for arrows beside them.
                wide = room - (_ARROWS if len(line) < 2 and cells and mark.name in ends
                               else 0)  # fmt: skip
                drawing = _MARKS[kind_of(mark)](scene, mark, state, wide)
                parts.append(Part(slot, mark, x, top, wide, drawing))
                if cells:
                    placed[mark.name] = (x, top, grid_of(scene, mark, state, wide))
                bottom = max(bottom, tenth(top + drawing.height + _BELOW))
                top = tenth(top + drawing.height + panel.apart)
            x = tenth(x + room)
        for start in starts:
            if len(below) < len(feet):
                foot = max(foot, feet[len(below)])
            below.append([start, bottom])
        y = tenth(bottom + foot)
    for over in scene.over:
        if kind_of(over) == "Frames":
            drawing = draw_frames(scene, over, state, width)
        elif kind_of(over) == "Guide":
            drawing = draw_guide(over, state, placed)
        else:
            drawing = draw_arrows(over, state, placed, width)
        parts.append(Part(over, over, 0, 0, width, drawing))
    if scene.key is not None:
        drawing = _key(scene.key, width)
        parts.append(Part(scene.key, scene.key, 0, y, width, drawing))
        y += drawing.height
    return parts, y, below


def draw(scene: Scene, state: State, width: float) -> Drawing:
    """Draw a state of a scene, so many pixels wide."""
    view = Drawing(width)
    parts, view.height, _ = parts_of(scene, state, width)
    for part in parts:
        view.put(part.drawing, part.x, part.y)
    return view

"""The still picture of one state of a scene, at any width.

`assets/render.js` draws the same for a page. Both return equal elements for equal
states, which a test compares; a change here is a change there. So do the modules of
marks: `cells`, `code`, `track`, `bars`, `arrows`, `frames` and `waves`.
"""

from __future__ import annotations

from collections.abc import Callable

from .arrows import Placed, draw_arrows, draw_guide
from .bars import draw_bars
from .cells import draw_cells, grid_of
from .code import draw_code
from .drawing import Drawing, tenth
from .frames import draw_frames
from .scene import (
    Bars,
    Cells,
    Code,
    Frames,
    Guide,
    Key,
    Panel,
    Scene,
    State,
    Track,
    Waves,
    mark_of,
)
from .track import draw_track
from .waves import draw_waves

_MARKS: dict[type, Callable[..., Drawing]] = {
    Bars: draw_bars,
    Cells: draw_cells,
    Code: draw_code,
    Frames: draw_frames,
    Track: draw_track,
    Waves: draw_waves,
}
_BETWEEN = 18.0  # marks below each other, and lines of panels


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
    placed = []
    for line in lines:
        used = sum(each.width for each in line) + sum(each.gap for each in line[1:])
        first = next((at for at, each in enumerate(line) if each.grow), 0)
        left = width - used if line[first].grow or len(line) == 1 else 0
        placed.append([
            (each, tenth(each.width + (left if at == first else 0)))
            for at, each in enumerate(line)
        ])  # fmt: skip
    return placed


def draw(scene: Scene, state: State, width: float) -> Drawing:
    """Draw a state of a scene, so many pixels wide."""
    view, placed = Drawing(width), Placed()
    y = 0.0
    for line in flow(scene.panels, width):
        x = bottom = 0.0
        for panel, room in line:
            x += panel.gap if x else 0
            top = y
            for each in panel.marks:
                mark = mark_of(each, state)
                part = _MARKS[type(mark)](scene, mark, state, room)
                view.put(part, x, top)
                if isinstance(mark, Cells):
                    placed[mark.name] = (x, top, grid_of(mark, state, room))
                top = tenth(top + part.height + _BETWEEN)
            x, bottom = tenth(x + room), max(bottom, top)
        y = bottom
    for over in scene.over:
        if isinstance(over, Frames):
            view.put(draw_frames(scene, over, state, width), 0, 0)
        elif isinstance(over, Guide):
            view.put(draw_guide(over, state, placed), 0, 0)
        else:
            view.put(draw_arrows(over, state, placed, width), 0, 0)
    if scene.key is not None:
        key = _key(scene.key, width)
        view.put(key, 0, y)
        y += key.height
    view.height = y
    return view

"""Tracks as SVG."""

from __future__ import annotations

import math

from .drawing import Drawing, box, kept, tenth
from .marks import triangle
from .palette import strong
from .scene import Scene, State, Track, spoken

_TOP = 18.0


def track_at(scene: Scene, mark: Track, room: float) -> tuple[float, float, float]:
    """Return where a track begins, how wide an index is, how high a row is."""
    [count] = [each.count for each in scene.axes if each.name == mark.axis]
    left = 12 + 7 * max(map(len, mark.names))
    high = min(mark.high, max(5.0, 170 / len(mark.names)))
    return left, (room - left - 6) / count, high


def draw_track(scene: Scene, mark: Track, state: State, room: float) -> Drawing:
    view, now = Drawing(room), state[mark.axis]
    left, wide, high = track_at(scene, mark, room)
    bottom = tenth(_TOP + high * len(mark.names))
    rows = kept(mark, f"rows {room:g}", lambda: _rows(mark, room, left, wide, high))
    view.parts.extend(rows)
    after = tenth(left + (now + 1) * wide)
    view.rect(after, 14, max(tenth(room - 6 - after), 0), tenth(bottom - 16),
              fill="var(--bg)", opacity=0.72)  # fmt: skip
    signs = kept(mark, f"signs {room:g}",
                 lambda: _signs(mark, room, left, wide, bottom))  # fmt: skip
    view.parts.extend(signs)
    x = tenth(left + (now + 0.5) * wide)
    view.path(f"M{x:g} 14V{tenth(bottom + 4):g}", stroke="var(--ink)", stroke_width=2)
    view.path(f"M{x:g} {tenth(bottom + 1):g}l6 10h-12z", fill="var(--ink)")
    near = x > room - 80
    words = spoken(scene, f"{mark.axis} {{{mark.axis}}}", state)
    view.text(x - 9 if near else x + 9, bottom + 12, words, 11,
              anchor="end" if near else None, bold=True)  # fmt: skip
    if x < room - 130 - 5.6 * len(mark.note):
        view.text(room - 6, bottom + 12, mark.note, 10.5, fill="var(--mut)",
                  anchor="end")  # fmt: skip
    view.height = bottom + 18
    return view


def _rows(mark: Track, room: float, left: float, wide: float, high: float) -> list[str]:
    """Return the bars and names of all rows."""
    view, gap = Drawing(), 0.6 if wide > 4 else 0
    every = max(1, math.floor(11 / high + 0.9))
    paths, below = [""] * len(mark.names), (high - 3) * mark.zero / mark.full
    for row, low, end, count in mark.bars.tolist():
        tall = max(1.0, (high - 3) * abs(count) / mark.full)
        across = max((end - low) * wide - 2 * gap, 0.4)
        y = _TOP + (row + 1) * high - 3 - below - (tall if count >= 0 else 0)
        paths[row] += box(left + low * wide + gap, y, across, tall)
    thick = min(2.0, high / 8)
    for row, low, end in mark.lines.tolist():
        middle = _TOP + row * high + (high - 3) / 2
        for y in (middle - 1.5 * thick, middle + 0.5 * thick):
            paths[row] += box(left + low * wide, y, (end - low) * wide, thick)
    for row, name in enumerate(mark.names):
        y, hue = _TOP + row * high, strong(mark.hues[row])
        line = tenth(y + high - 3 - below)
        view.path(f"M{tenth(left):g} {line:g}H{tenth(room - 6):g}",
                  stroke="var(--line)")  # fmt: skip
        view.path(paths[row], fill=hue)
        if row % every == 0:
            view.text(0, tenth(y + high / 2 + 2.5), name, 12 if high > 14 else 10,
                      fill=hue, bold=True)  # fmt: skip
    return view.parts


def _signs(
    mark: Track, room: float, left: float, wide: float, bottom: float
) -> list[str]:
    """Return bars of ink and triangles, each with its name where that fits."""
    view = Drawing()
    middles = [tenth(left + (at + 0.5) * wide) for at, _ in mark.flags]
    taken = [(x - 7, x + 7) for x in middles]

    def fits(x: float, words: str) -> bool:
        end = x + 6.6 * len(words) + 4
        free = end < room and all(end < a or x > b for a, b in taken)
        if free:
            taken.append((x, end))
        return free

    for at, words in mark.flags:
        x = tenth(left + (at + 0.5) * wide)
        if fits(x + 8, words):
            view.text(x + 10, 12, words, 11, fill="var(--bad)", bold=True)
        triangle(view, x, 3, 6)
    for at, words in mark.rules:
        x = tenth(left + (at + 1) * wide)
        view.path(f"M{x:g} 14V{bottom:g}", stroke="var(--ink)", stroke_width=1.6)
        start = tenth(x - 3.1 * len(words))
        if fits(start, words):
            view.text(x, 10, words, 10.5, fill="var(--mut)", anchor="middle")
    return view.parts

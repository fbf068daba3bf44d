"""Cells as SVG, as `assets/cells.js` draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .drawing import Drawing, box, fitted, shortened, tenth
from .marks import LOOKS, ring
from .palette import strong
from .scene import Cells, Scene, State, numbers, spoken

_LEAST = 4.5  # width of a box without words


@dataclass(frozen=True)
class Grid:
    """Where the boxes of a mark are, from the corner of the mark."""

    columns: int
    rows: int
    wide: int
    first: int
    count: int
    left: float
    top: float
    w: float
    h: float
    group: int = 0
    gap: float = 0
    slots: Any = None

    def place(self, item: int) -> tuple[float, float] | None:
        """Return the corner of a box; None for one that is not drawn."""
        slot = item
        if self.slots is not None and 0 <= item < self.count:
            slot = int(self.slots[item])
        row, column = divmod(slot, self.wide)
        row -= self.first // self.wide
        column -= self.first % self.wide
        inside = 0 <= row < self.rows and 0 <= column < self.columns
        if not inside or not 0 <= item < self.count:
            return None
        apart = item // self.group * self.gap if self.group else 0
        return tenth(self.left + column * self.w), tenth(
            self.top + row * self.h + apart
        )

    @property
    def items(self) -> list[int]:
        """The items that are drawn."""
        if self.slots is not None:
            return [item for item in range(self.count) if self.place(item)]
        rows = range(self.first, self.first + self.rows * self.wide, self.wide)
        every = (row + at for row in rows for at in range(self.columns))
        return [item for item in every if item < self.count]

    @property
    def bottom(self) -> float:
        """Below the last row."""
        groups = (self.count - 1) // self.group if self.group else 0
        return self.top + self.rows * self.h + groups * self.gap


def grid_of(mark: Cells, state: State, room: float) -> Grid:
    """Return where boxes are; of an array that is too large, those around the focus."""
    top = (36.0 if mark.title else 18.0) if mark.heads else 40.0 if mark.title else 4.0
    w, h = mark.size
    if not mark.columns:
        wide = max(1, min(int(room // w), mark.count))
        rows = -(-mark.count // wide)
        if mark.feet:
            return Grid(wide, rows, wide, 0, mark.count, 2, top, w, h, wide, 16)
        return Grid(wide, rows, wide, 0, mark.count, 0, top, tenth(room / wide), h)
    wide = mark.columns
    slots = mark.count if mark.slots is None else int(mark.slots.max()) + 1
    every = -(-slots // wide)
    left = 30.0 if mark.labelled else 0.0
    if mark.group:
        left = 44.0 if wide < 32 else 30.0
    elif mark.row_names:
        left = 10 + 6.6 * max(map(len, mark.row_names))
    elif not isinstance(mark.labels, str):
        left = 42.5
    elif mark.labels:
        last = every - 1 if mark.labels == "row" else mark.count
        left = 12 + 6.1 * len(str(last))
    elif mark.sides:
        left = 12 + 6.1 * max(map(len, mark.sides))
    if mark.shrink and left + wide * w > room + 0.5:
        w = mark.shrink
    least = w if mark.words is not None else _LEAST
    most = mark.most
    while mark.fold and wide % 2 == 0 and left + wide * least > room + 0.5:
        wide, every, most = wide // 2, every * 2, most * 2
    w = max(math.floor(min(w, (room - left) / wide) * 10) / 10, least)
    columns = max(1, min(wide, int((room - left + 0.5) / w)))
    rows = min(every, most or every)
    row = column = 0
    center = mark.ring if mark.center is None else mark.center
    if (rows < every or columns < wide) and center is not None:
        at = max(_first(center, state), 0)
        at = at if mark.slots is None else int(mark.slots[at])
        row = max(0, min(at // wide - rows // 2, every - rows))
        column = max(0, min(at % wide - columns // 2, wide - columns))
    gap = tenth(h / 4 if h > 12 else 2) if mark.group else 0
    if mark.words is None:
        h = min(h, w)
    first = row * wide + column
    return Grid(
        columns, rows, wide, first, mark.count, left, top, w, h, mark.group, gap,
        mark.slots,
    )  # fmt: skip


def part_of(grid: Grid, rows: bool) -> str:
    """Return in words which part of an array is drawn, maybe without rows."""
    every = -(-grid.count // grid.wide)
    row, column = divmod(grid.first, grid.wide)
    parts = []
    if rows and grid.rows < every:
        last = row + grid.rows - 1
        shown = f"row {row}" if row == last else f"rows {row}–{last}"
        parts.append(f"{shown} of {every:,}")
    if grid.columns < grid.wide:
        last = column + grid.columns - 1
        parts.append(f"columns {column}–{last} of {grid.wide:,}")
    return ", ".join(parts)


_SPANS = {"moved": 8, "unmoved": 8}  # items from the one that has the look on
_PALE, _BOLD = ("empty", "bare"), ("runs", "clash", "written")


# Filled boxes of less height touch each other, and lines are drawn between; boxes with
# an edge, and those over them, stand apart.
_SMALL = 12.0


def _boxes(
    grid: Grid, corners: list[tuple[float, float]], inset: float, span: int, edge: bool
) -> str:
    least = min(grid.w / 12 + 0.6 * edge, grid.h / 6) if grid.h < _SMALL else 0
    gap = tenth(max(inset * min(1, grid.w / 25), least))
    r = 5 if grid.h >= 32 else 3 if grid.h >= 24 else 0
    return "".join(
        box(x + gap, y + gap, span * grid.w - 2 * gap, grid.h - 2 * gap, r)
        for x, y in corners
    )


def _runs(
    grid: Grid, corners: list[tuple[float, float]]
) -> list[tuple[float, float, float]]:
    """Corners of neighbours in a row as one, with its width."""
    runs: list[tuple[float, float, float]] = []
    for x, y in sorted(corners, key=lambda each: (each[1], each[0])):
        if runs and runs[-1][1] == y and abs(runs[-1][0] + runs[-1][2] - x) < 0.15:
            runs[-1] = (runs[-1][0], y, x - runs[-1][0] + grid.w)
        else:
            runs.append((x, y, grid.w))
    return runs


def _lattice(view: Drawing, grid: Grid) -> None:
    """Lines in the colour of the ground between small boxes."""
    if grid.group:
        return
    right, bottom = grid.columns * grid.w, grid.rows * grid.h
    across = "".join(
        f"M{tenth(grid.left):g} {tenth(grid.top + at * grid.h):g}h{tenth(right):g}"
        for at in range(1, grid.rows)
    )
    down = "".join(
        f"M{tenth(grid.left + at * grid.w):g} {tenth(grid.top):g}v{tenth(bottom):g}"
        for at in range(1, grid.columns)
    )
    thick = tenth(min(grid.w, grid.h) / 6)
    view.path(across + down, stroke="var(--bg)", stroke_width=thick)


def _look(
    view: Drawing, grid: Grid, items: list[int], kind: str, who: int, apart: bool
) -> None:
    inset, attributes = LOOKS[kind]
    corners = [at for at in map(grid.place, items) if at]
    if apart:
        stroked = "stroke" in attributes(who)
        boxes = _boxes(grid, corners, inset, _SPANS.get(kind, 1), stroked)
    else:
        boxes = "".join(box(x, y, w, grid.h) for x, y, w in _runs(grid, corners))
    view.path(boxes, **attributes(who))
    if kind == "waits":
        bars = "".join(
            box(x + grid.w * at, y + grid.h * 0.14, max(1.2, grid.w / 18), grid.h / 6)
            for x, y in corners
            for at in (0.7, 0.8)
        )
        view.path(bars, fill=strong(who))
    if (
        kind in ("wrong", "missed") and grid.h >= 19
    ):  # a number on hatching needs its own ground
        edge = min(3.4, grid.w / 8)
        clear = "".join(
            box(x + edge, y + grid.h / 2 - 6.5, grid.w - 2 * edge, 13, 2)
            for x, y in corners
        )
        view.path(clear, fill="var(--bg)")


def draw_cells(scene: Scene, mark: Cells, state: State, room: float) -> Drawing:
    view, grid = Drawing(room), grid_of(mark, state, room)
    items = grid.items
    if mark.title:
        rows = isinstance(mark.labels, str)
        part = "" if mark.row_names else part_of(grid, rows)
        parts = [spoken(scene, mark.note, state), part]
        note = "" if mark.heads else " · ".join(filter(None, parts))
        title = spoken(scene, mark.title, state)
        left = 0 if mark.row_names else grid.left
        wide = room - left
        view.text(left, 14, shortened(title, int(wide / 7.8)), 13, bold=True)
        view.text(left, 30, shortened(note, int(wide / 6)), 11.5,
                  fill="var(--mut)")  # fmt: skip
    kinds: dict[int, list[str]] = {}
    apart = grid.h >= _SMALL
    for layer in mark.looks:
        found = numbers(layer, state, items)
        for look in np.unique(found[found >= 0]).tolist():
            own = [item for item, at in zip(items, found, strict=True) if at == look]
            kind, who = scene.looks[look]
            if not apart and "stroke" in LOOKS[kind][1](who):
                _lattice(view, grid)
                apart = True
            _look(view, grid, own, kind, who, apart)
            for item in own:
                kinds.setdefault(item, []).append(kind)
    if mark.looks and not apart:
        _lattice(view, grid)
    if mark.captions:
        _facts(view, scene, mark, state, grid)
    elif mark.words is not None:
        _values(view, scene, mark, state, grid, kinds)
    _labels(view, scene, mark, state, grid)
    _groups(view, scene, mark, state, grid)
    _outlines(view, mark, state, grid)
    at = grid.place(_first(mark.ring, state)) if mark.ring is not None else None
    if at:
        ring(view, *at, grid.w, grid.h, inside=grid.h > 12)
    view.height = max(grid.bottom + (16 if mark.feet else 0), mark.high)
    return view


def _first(channel: Any, state: State) -> int:
    return int(numbers(channel, state, [0])[0])


def _outlines(view: Drawing, mark: Cells, state: State, grid: Grid) -> None:
    """Boxes around items, and their names beside them."""
    if mark.outlines is None:
        return
    thick = _first(mark.outlined, state)
    for at, (row, column, rows, columns, who) in enumerate(mark.outlines.tolist()):
        x, y = tenth(grid.left + column * grid.w), tenth(grid.top + row * grid.h)
        w, h = tenth(columns * grid.w), tenth(rows * grid.h)
        view.rect(
            x + 0.5, y + 0.5, w - 1, h - 1, rx=3, fill="none", stroke=strong(who),
            stroke_width=2.4 if at == thick else 0.8,
        )  # fmt: skip
        if mark.labelled and h >= 12:
            view.text(x + w + 4 if column else x - 4, tenth(y + h / 2 + 4),
                      mark.labelled[at], 11, fill=strong(who), bold=True, mono=True,
                      anchor=None if column else "end")  # fmt: skip


def _values(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid,
            kinds: dict[int, list[str]]) -> None:  # fmt: skip
    items = grid.items
    if mark.shrink and grid.w < mark.size[0]:
        items = [at for at in items if at == _first(mark.ring, state)]
    values = numbers(mark.words, state, items).tolist()
    most = max(int((grid.w - 1) / 6.02), 2)
    for item, value in zip(items, values, strict=True):
        if value < 0 and mark.blank:
            continue
        x, y = grid.place(item) or (0, 0)
        own = kinds.get(item, [])
        words = fitted(scene.words[value], most) if value >= 0 else "·"
        ink = "ink" if value >= 0 and not set(own) & set(_PALE) else "faint"
        ink = (
            "bg"
            if {"runs", "clash"} & set(own) and "wrong" not in own
            else "bad"
            if "missed" in own
            else ink
        )
        small = grid.h < _SMALL or len(words) > (3 if grid.w < 30 else 4)
        size = 10 if small else 11
        view.text(
            tenth(x + grid.w / 2), tenth(y + grid.h / 2 + 4), words,
            13 if size > 10 and grid.h >= 32 else size, anchor="middle", mono=True,
            fill=f"var(--{ink})",
            bold=bool(set(own) & set(_BOLD)),
        )  # fmt: skip


def _facts(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    """Boxes with a name and a value; an edge of ink where the value is new."""
    items = grid.items
    names = [numbers(each, state, items).tolist() for each in mark.captions]
    now = numbers(mark.words, state, items).tolist()
    old = now
    if mark.changes:
        before = {**state, mark.changes: state[mark.changes] - 1}
        old = numbers(mark.words, before, items).tolist()
    most = int((grid.w - 22) / 7.53)
    for at, item in enumerate(items):
        said = " ".join(scene.words[each[at]] for each in names if each[at] >= 0)
        if not said:
            continue
        x, y = grid.place(item) or (0, 0)
        new = now[at] != old[at]
        words = scene.words[now[at]] if now[at] >= 0 else "not set"
        both = f"{scene.words[old[at]]} → {words}" if new and old[at] >= 0 else words
        words = both if len(both) <= most else shortened(words, most)
        view.rect(x + 0.5, y + 0.5, grid.w - 7, grid.h - 7, rx=6, fill="none",
                  stroke="var(--ink)" if new else "var(--line)",
                  stroke_width=1.6 if new else 1)  # fmt: skip
        view.text(x + 8, y + 15, shortened(said, int((grid.w - 20) / 6.2)), 11,
                  fill="var(--mut)")  # fmt: skip
        view.text(x + 8, y + 31, words, 12.5, mono=True)


def _label(scene: Scene, mark: Cells, state: State, grid: Grid, row: int) -> Any:
    if isinstance(mark.labels, str):
        return row * (1 if mark.labels == "row" else grid.wide)
    line, rest = divmod(row * grid.wide, mark.columns)
    found = -1 if rest else int(numbers(mark.labels, state, [line])[0])
    return scene.words[found] if found >= 0 else ""


def _labels(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    for at in range(grid.rows if mark.row_names else 0):
        y = tenth(grid.top + at * grid.h + grid.h / 2 + 4)
        view.text(0, y, mark.row_names[at % len(mark.row_names)], 11.5, bold=True)
    look: dict[str, Any] = {"fill": "var(--mut)", "mono": True}
    row, column = divmod(grid.first, grid.wide)
    for at, name in enumerate(mark.heads[column : column + grid.columns]):
        x = tenth(grid.left + (at + 0.5) * grid.w)
        view.text(x, grid.top - 6, name, 10, anchor="middle", **look)
    for at, name in enumerate(mark.sides[row : row + grid.rows]):
        y = tenth(grid.top + (at + 0.5) * grid.h + 3.6)
        view.text(grid.left - 6, y, name, 10, anchor="end", **look)
    for item, name in enumerate(mark.feet):
        x, y = grid.place(item) or (0, 0)
        x, y = tenth(x + grid.w / 2), tenth(y + grid.h + 11)
        view.text(x, y, name, 10, anchor="middle", **look)
    if isinstance(mark.labels, str) and not mark.labels:
        return
    for at in range(0, grid.rows, max(1, math.floor(11 / grid.h + 0.9))):
        y = tenth(grid.top + at * grid.h + grid.h / 2 + 3.6)
        words = _label(scene, mark, state, grid, row + at)
        if words != "":
            view.text(grid.left - 6, y, words, 10, anchor="end", **look)


def _groups(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    """Brackets and names beside groups of items."""
    if not mark.group or mark.names is None:
        return
    groups = list(range(-(-grid.count // mark.group)))
    names = numbers(mark.names, state, groups).tolist()
    for at, name, who in zip(
        groups, names, numbers(mark.hues, state, groups), strict=True
    ):
        x, y = grid.place(at * mark.group) or (0, 0)
        own = min(grid.count - at * mark.group, mark.group)
        high = -(-own // grid.wide) * grid.h
        hue, words = strong(int(who)), scene.words[name]
        if grid.wide < 32:
            bracket = f"M{tenth(x - 8):g} {tenth(y + 2):g}h-5v{tenth(high - 4):g}h5"
            view.path(bracket, stroke=hue, stroke_width=1.6)
        if high > 100:
            turn = f"translate({tenth(x - 19):g} {tenth(y + high / 2):g}) rotate(-90)"
            view.text(0, 0, words, 11.5, fill=hue, anchor="middle", bold=True,
                      transform=turn)  # fmt: skip
        else:
            short = words.partition(" · ")[0].replace("warp ", "w")
            view.text(tenth(x - (17 if grid.wide < 32 else 6)),
                      tenth(y + high / 2 + 4), short, 10, fill=hue, anchor="end",
                      bold=True)  # fmt: skip

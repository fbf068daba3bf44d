"""Cells as SVG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .drawing import Drawing, box, fitted, outline, shortened, tenth
from .headings import draw_heading, is_one_line
from .marks import LOOKS, ring
from .palette import depth, strong
from .scene import Cells, Scene, State, first, numbers, spoken

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
        if not 0 <= item < self.count:
            return None
        slot = item if self.slots is None else int(self.slots[item])
        row = slot // self.wide - self.first // self.wide
        column = slot % self.wide - self.first % self.wide
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        apart = item // self.group * self.gap if self.group else 0
        y = self.top + row * self.h + apart
        return tenth(self.left + column * self.w), tenth(y)

    @property
    def items(self) -> list[int]:
        """The items that are drawn."""
        if self.slots is not None:
            return [item for item in range(self.count) if self.place(item)]
        items: list[int] = []
        for row in range(self.rows):
            start = self.first + row * self.wide
            items.extend(range(start, min(start + self.columns, self.count)))
        return items

    @property
    def bottom(self) -> float:
        """Below the last row."""
        groups = (self.count - 1) // self.group if self.group else 0
        return self.top + self.rows * self.h + groups * self.gap


_PART, _TAG = 34, 12  # letters of which part of an array is drawn, and of a tag


def _top(scene: Scene, mark: Cells, room: float, part: bool) -> float:
    """Return where boxes begin, below the title and what stands above columns."""
    if mark.heads:
        return 36 if mark.title else 18
    if not mark.title:
        return 4
    more = _PART * int(part) + _TAG * int(mark.tag != "")
    return 24 if is_one_line(scene, mark, room, more) else 40


def grid_of(scene: Scene, mark: Cells, state: State, room: float) -> Grid:
    """Return where boxes are; of an array that is too large, those around the focus."""
    w, h = mark.size
    if not mark.columns:
        wide = max(1, min(int(room // w), mark.count))
        rows = -(-mark.count // wide)
        shown = min(rows, mark.most or rows)
        top = _top(scene, mark, room, shown < rows)
        if mark.feet:
            return Grid(wide, rows, wide, 0, mark.count, 2, top, w, h, wide, 16)
        row = max(0, min(first(mark.ring, state) // wide - shown // 2, rows - shown))
        return Grid(wide, shown, wide, row * wide, mark.count, 0, top,
                    tenth(room / wide), h)  # fmt: skip
    wide = mark.columns
    slots = mark.count if mark.slots is None else int(max(mark.slots)) + 1
    every = -(-slots // wide)
    left = 30.0 if mark.labelled else 0.0
    if mark.group:
        left = 44.0
    elif not isinstance(mark.labels, str):
        left = 42.5
    elif mark.labels:
        last = mark.count if mark.labels == "cell" else every - 1
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
        at = max(first(center, state), 0)
        at = at if mark.slots is None else int(mark.slots[at])
        row = max(0, min(at // wide - rows // 2, every - rows))
        column = max(0, min(at % wide - columns // 2, wide - columns))
    top = _top(scene, mark, room, rows < every or columns < wide)
    gap = tenth(h / 4 if h > 12 else 2) if mark.group else 0
    if mark.words is None:
        h = min(h, w)
    return Grid(
        columns, rows, wide, row * wide + column, mark.count, left, top, w, h,
        mark.group, gap, mark.slots,
    )  # fmt: skip


def part_of(grid: Grid, rows: bool) -> str:
    """Return in words which part of an array is drawn, maybe without rows."""
    every = -(-grid.count // grid.wide)
    row, column = divmod(grid.first, grid.wide)
    parts: list[str] = []
    if rows and grid.rows < every:
        last = row + grid.rows - 1
        shown = f"row {row}" if row == last else f"rows {row}–{last}"
        parts.append(f"{shown} of {every:,}")
    if grid.columns < grid.wide:
        last = column + grid.columns - 1
        parts.append(f"columns {column}–{last} of {grid.wide:,}")
    return ", ".join(parts)


_LONG = ("moved", "unmoved")  # over 8 items from the one that has the look on

# Filled boxes of less height touch each other, and lines are drawn between; boxes with
# an edge, and those over them, stand apart.
_SMALL = 12.0


Corners = list[tuple[float, float]]


def _runs(grid: Grid, corners: Corners) -> list[list[float]]:
    """Corners of neighbours in a row as one, with its width."""
    runs: list[list[float]] = []
    for x, y in sorted(corners, key=lambda each: 1e5 * each[1] + each[0]):
        last = runs[-1] if runs else [0.0, -1.0, 0.0]
        if last[1] == y and abs(last[0] + last[2] - x) < 0.15:
            last[2] = x - last[0] + grid.w
        else:
            runs.append([x, y, grid.w])
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
    look = attributes(who)
    corners = [at for at in [grid.place(item) for item in items] if at]
    if apart:
        edge = 0.6 if look.get("stroke") else 0
        least = min(grid.w / 12 + edge, grid.h / 6) if grid.h < _SMALL else 0
        gap = tenth(max(inset * min(1, grid.w / 25), least))
        r = 5 if grid.h >= 32 else 3 if grid.h >= 23 else 0
        wide = grid.w * (8 if kind in _LONG else 1)
        shape = outline(wide - 2 * gap, grid.h - 2 * gap, r)
        boxes = [f"M{tenth(x + gap + r):g} {tenth(y + gap):g}{shape}"
                 for x, y in corners]  # fmt: skip
    else:
        boxes = [box(x, y, w, grid.h) for x, y, w in _runs(grid, corners)]
    view.path("".join(boxes), **look)
    if kind == "waits" and not (grid.group and grid.h < 24):
        bars = [
            box(x + grid.w * at, y + grid.h * 0.14, max(1.2, grid.w / 18), grid.h / 6)
            for x, y in corners
            for at in (0.7, 0.8)
        ]
        view.path("".join(bars), fill=strong(who))
    if kind in ("wrong", "missed") and grid.h >= 19:
        edge = min(3.4, grid.w / 8)  # a number on hatching needs its own ground
        clear = [
            box(x + edge, y + grid.h / 2 - 6.5, grid.w - 2 * edge, 13, 2)
            for x, y in corners
        ]
        view.path("".join(clear), fill="var(--bg)")


def _grouped(items: list[int], looks: list[int], count: int) -> list[list[int]]:
    """Return the items of each look; a page soon compiles a small function."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, at in enumerate(looks):
        if at >= 0:
            groups[at].append(items[place])
    return groups


def _note(kinds: dict[int, str], items: list[int], kind: str) -> None:
    for item in items:
        kinds[item] = f"{kinds.get(item, '')} {kind}"


def draw_cells(scene: Scene, mark: Cells, state: State, room: float) -> Drawing:
    view, grid = Drawing(room), grid_of(scene, mark, state, room)
    items = grid.items
    if mark.title:
        part = part_of(grid, isinstance(mark.labels, str))
        parts = [spoken(scene, mark.note, state), part, spoken(scene, mark.tag, state)]
        note = "" if mark.heads else " · ".join([each for each in parts if each])
        title = spoken(scene, mark.title, state)
        draw_heading(view, room, title, note, grid.top < 30)
    kinds: dict[int, str] = {}
    apart = grid.h >= _SMALL
    for layer in mark.looks:
        groups = _grouped(items, numbers(layer, state, items), len(scene.looks))
        for at, own in enumerate(groups):
            if not own:
                continue
            kind, who = scene.looks[at]
            if not apart and LOOKS[kind][1](who).get("stroke"):
                _lattice(view, grid)
                apart = True
            _look(view, grid, own, kind, who, apart)
            if mark.words is not None:
                _note(kinds, own, kind)
    if mark.looks and not apart:
        _lattice(view, grid)
    if mark.captions:
        _facts(view, scene, mark, state, grid, items)
    elif mark.words is not None:
        _values(view, scene, mark, state, grid, items, kinds)
    _labels(view, scene, mark, state, grid)
    _groups(view, scene, mark, state, grid)
    _outlines(view, mark, state, grid)
    focus = grid.place(first(mark.ring, state))
    if focus:
        edge = 6 if mark.captions else 0
        ring(view, focus[0], focus[1], grid.w - edge, grid.h - edge,
             inside=grid.h > 12)  # fmt: skip
    named = isinstance(mark.labels, str) and mark.labels == "both"
    below = 16 if mark.feet or named else 0
    view.height = max(grid.bottom + below, grid.top + mark.high)
    return view


def _outlines(view: Drawing, mark: Cells, state: State, grid: Grid) -> None:
    """Boxes around items, and their names beside them."""
    if mark.outlines is None:
        return
    thick, (down, right) = first(mark.outlined, state), divmod(grid.first, grid.wide)
    for at, (row, column, rows, columns, who) in enumerate(mark.outlines.tolist()):
        row, column = row - down, column - right
        if min(row, column) < 0 or column + columns > grid.columns:
            continue
        if grid.slots is None and row + rows > grid.rows:
            continue
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
            items: list[int], kinds: dict[int, str]) -> None:  # fmt: skip
    if mark.shrink and grid.w < mark.size[0]:
        focus = first(mark.ring, state)
        items = [at for at in items if at == focus]
    values = numbers(mark.words, state, items)
    most = max(int((grid.w - 1) / 6.02), 2)
    for item, value in zip(items, values, strict=True):
        if value < 0 and mark.blank:
            continue
        x, y = grid.place(item) or (0, 0)
        own = kinds.get(item, "")
        words = fitted(scene.words[value], most) if value >= 0 else "·"
        pale = value < 0 or "bare" in own
        ink = "faint" if pale else "ink"
        if "missed" in own:
            ink = "bad"
        elif ("runs" in own or "clash" in own) and not (
            "wrong" in own or "reads" in own
        ):
            ink = "bg"
        small = grid.h < _SMALL or len(words) > (3 if grid.w < 30 else 4)
        size = 10 if small else 11
        view.text(
            tenth(x + grid.w / 2), tenth(y + grid.h / 2 + 4), words,
            13 if size > 10 and grid.h >= 32 else size, anchor="middle", mono=True,
            fill=f"var(--{ink})",
            bold="runs" in own or "clash" in own or "written" in own,
        )  # fmt: skip


def _facts(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid,
           items: list[int]) -> None:  # fmt: skip
    """Boxes with a name and a value; an edge of ink where the value is new."""
    names = [numbers(each, state, items) for each in mark.captions]
    now = numbers(mark.words, state, items)
    old = now
    if mark.changes:
        before = {**state, mark.changes: state[mark.changes] - 1}
        old = numbers(mark.words, before, items)
    most = int((grid.w - 18) / 7.53)
    shares = numbers(mark.shares, state, items)
    for at, item in enumerate(items):
        said = " ".join(scene.words[each[at]] for each in names if each[at] >= 0)
        if not said:
            continue
        x, y = grid.place(item) or (0, 0)
        fresh = now[at] != old[at]
        words = scene.words[now[at]] if now[at] >= 0 else "not set"
        both = f"{scene.words[old[at]]} → {words}" if fresh and old[at] >= 0 else words
        words = both if len(both) <= most else shortened(words, most)
        view.rect(x + 0.5, y + 0.5, grid.w - 7, grid.h - 7, rx=6, fill="none",
                  stroke="var(--ink)" if fresh else "var(--line)",
                  stroke_width=1.6 if fresh else 1)  # fmt: skip
        view.text(x + 8, y + 15, shortened(said, int((grid.w - 20) / 6.2)), 11,
                  fill="var(--mut)")  # fmt: skip
        view.text(x + 8, y + 31, words, 12.5, mono=True)
        if shares[at] > 0:
            view.rect(x + 8, y + 35, tenth((grid.w - 23) * shares[at] / 100), 3,
                      fill=depth(45))  # fmt: skip


def _label(scene: Scene, mark: Cells, state: State, grid: Grid, row: int) -> Any:
    if isinstance(mark.labels, str):
        return row * (grid.wide if mark.labels == "cell" else 1)
    line, rest = divmod(row * grid.wide, mark.columns)
    found = -1 if rest else numbers(mark.labels, state, [line])[0]
    return scene.words[found] if found >= 0 else ""


def _numbered(first: int, count: int, size: float) -> list[int]:
    """Return which rows or columns have their numbers: all of eight, or every fourth.

    Example:
        >>> _numbered(0, 16, 18), _numbered(30, 4, 10)
        ([0, 4, 8, 12, 15], [30, 32])
    """
    step = 1 if count <= 8 else 4
    while step * size < 16:
        step *= 2
    last = first + count - 1
    return [
        at
        for at in range(first, last + 1)
        if at % step == 0 or (at == last and at % step * 2 > step)
    ]


def _labels(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    look: Any = {"fill": "var(--mut)", "mono": True}
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
    named = mark.labels if isinstance(mark.labels, str) else "words"
    if not named:
        return
    numbered = named in ("row", "both")
    each = max(1, math.floor(11 / grid.h + 0.9))
    rows = range(row, row + grid.rows, each)
    for at in _numbered(row, grid.rows, grid.h) if numbered else rows:
        y = tenth(grid.top + (at - row + 0.5) * grid.h + 3.6)
        words = _label(scene, mark, state, grid, at)
        if words != "":
            view.text(grid.left - 6, y, words, 10, anchor="end", **look)
    if named == "both":
        for at in _numbered(column, grid.columns, grid.w):
            x = tenth(grid.left + (at - column + 0.5) * grid.w)
            view.text(x, tenth(grid.bottom + 11), at, 10, anchor="middle", **look)


def _groups(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    """Brackets and names beside groups of items."""
    if not mark.group or mark.names is None:
        return
    groups = list(range(-(-grid.count // mark.group)))
    hues = numbers(mark.hues, state, groups)
    pitch = -(-mark.group // grid.wide) * grid.h + grid.gap
    each = max(1, math.floor(11 / pitch + 0.9))
    for at, name in enumerate(numbers(mark.names, state, groups)):
        x, y = grid.place(at * mark.group) or (0, 0)
        own = min(grid.count - at * mark.group, mark.group)
        high = -(-own // grid.wide) * grid.h
        hue, words = strong(hues[at]), scene.words[name]
        bracket = f"M{tenth(x - 8):g} {tenth(y + 2):g}h-5v{tenth(high - 4):g}h5"
        if words.endswith(" waits"):
            bracket += f"M{tenth(x - 9):g} {tenth(y + 2):g}v{tenth(high - 4):g}"
        view.path(bracket, stroke=hue, stroke_width=1.6)
        if high > 100:
            turn = f"translate({tenth(x - 19):g} {tenth(y + high / 2):g}) rotate(-90)"
            view.text(0, 0, words, 11.5, fill=hue, anchor="middle", bold=True,
                      transform=turn)  # fmt: skip
        elif at % each == 0:
            short = words.partition(" · ")[0].replace("warp ", "w")
            view.text(tenth(x - 17), tenth(y + high / 2 + 4), short, 10, fill=hue,
                      anchor="end", bold=True)  # fmt: skip
